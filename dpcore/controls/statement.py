"""The controls of a claim from elsewhere: its steps, what is claimed, and how it was done."""

from __future__ import annotations

from dpcore.accounting.elsewhere import USUAL
from dpcore.controls.control import Control, Number, OneOf, Page, Switch, Text
from dpcore.guarantee import SMALLEST_DELTA, Adjacency
from dpcore.words import capitalised

HISTORY = Control(
    "own_history",
    "Noise multiplier, sampling rate, steps",
    Text(20_000),
    default=USUAL,
    option="history",
    brief='"noise multiplier, sampling rate, steps", several with ; between',
    help="The rate may be 256/60000 (batch and records), the steps 10 epochs. Several kinds of "
    "steps have ; between. Other noise has its law before it: laplace 2, discrete-gaussian 5 or "
    "discrete-laplace 2. Or the JSON of an Opacus accountant or of an OpenDP measurement.",
)
CLAIMED = Control(
    "own_claimed",
    "Claimed ε",
    Number(1e-6, 1e6, 0.1),
    option="claimed",
    brief="ε that is claimed, to compare; default: none",
    help="What the paper or the library says, at the δ beside it.",
)
DELTA = Control(
    "own_delta",
    "δ",
    Number(SMALLEST_DELTA, 0.5, 1e-6),
    default=1e-5,
    noun="a δ of",
    option="delta",
    brief="default: 1e-5",
)
SAMPLER = Control(
    "own_sampler",
    "How batches were drawn",
    OneOf(
        {
            "poisson": "Each record by its own coin",
            "shuffled": "Shuffled, one after another",
            "ordered": "In a fixed order",
            "fixed": "Anew, of fixed size",
            "weighted": "By a weighted sampler",
        }
    ),
    noun="how batches were drawn",
    option="sampler",
    help="Accountants assume a coin for each record in each step (Poisson). Many loops shuffle.",
)
DIVISION = Control(
    "own_division",
    "Sums are divided by",
    OneOf(
        {
            "expected": "A public number",
            "records": "The number of records",
            "actual": "The size of each batch",
        }
    ),
    noun="what sums are divided by",
    option="division",
    help="Opacus up to 1.6 takes its expected batch from the number of records (issue 819).",
)
NEIGHBOURS = Control(
    "own_adjacency",
    "Neighbours",
    OneOf({str(each): capitalised(each.difference) for each in Adjacency}),
    default=str(Adjacency.ZERO_OUT),
    noun="the neighbours",
    option="adjacency",
)
DISTANCE = Control(
    "own_distance",
    "How far one record moves the sum",
    Number(1e-9, 1e9, 1.0),
    option="distance",
    brief="how far one record moves what an OpenDP measurement adds its noise to; default: as "
    "derived of a count or of a sum of clamped integers; other sums need it; 1 where there is none",
    help="Of an OpenDP measurement. It is derived of a count, and of a sum of clamped integers.",
)
NORMAL = Control(
    "own_normal",
    "Scores are normal",
    Switch(),
    noun="whether scores are normal",
    help="With one variance in both worlds. Then far fewer outputs decide. Scores that do not fit "
    "are refused.",
)
CONTROLS = Page(HISTORY, CLAIMED, DELTA, SAMPLER, DIVISION, NEIGHBOURS, DISTANCE, NORMAL)
