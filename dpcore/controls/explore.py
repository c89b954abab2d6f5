"""The controls of Explore and of `sweep`: what privacy costs on a data set."""

from __future__ import annotations

from dataclasses import replace
from functools import cache, partial
from typing import Any

from dpcore.controls import common
from dpcore.controls.control import Control, Number, OneOf, Page, SomeOf, Stops, Switch, where
from dpcore.controls.options import exactly
from dpcore.datasets import Preparation
from dpcore.erm.losses import MARGIN_LOSSES, RESIDUAL_LOSSES
from dpcore.evaluation.study import Study
from dpcore.words import as_set

MIN_EPSILON, MAX_EPSILON = 1e-9, 100.0
"""From the least of a paper's figures to next to no promise."""
EPSILONS = (
    *(
        float(f"{step}e{exponent}")
        for exponent in range(-3, 2)
        for step in ("1", "1.5", "2", "3", "5", "7")
    ),
    MAX_EPSILON,
)
"""Those of a page's curves: six steps a decade, nearly evenly spaced on a logarithmic axis."""

WIDE_EPSILONS = (*(float(f"1e{exponent}") for exponent in range(-9, -3)), *EPSILONS)
"""Those of the noise alone, down to where it stops growing."""


PAPER_EPSILONS = tuple(float(f"1e{exponent}") for exponent in range(-9, 1))
"""Those of paper 000's figures."""
COARSE_EPSILONS = tuple(
    epsilon for epsilon in EPSILONS if f"{epsilon:e}"[0] in "125" and f"{epsilon:e}"[2] == "0"
)
"""Three a decade, for long trainings."""
FEW_EPSILONS = (0.01, 0.1, 1.0)
"""Those of `sweep` where none is named."""
LAMBDAS = (0.0, *(float(f"{s}e{e}") for e in range(-6, 0) for s in ("1", "3")), 1.0)
COHORTS = (100, 300, 1_000, 3_000, 10_000, 30_000, 100_000, 300_000, 1_000_000)
BY_RULE, NEAR_ZERO, OF_PAPER_000, MY_OWN = "By rule", "Near zero", "0.001", "My own"
PAPER_LAMBDA = 0.001
"""The value that paper 000 uses throughout."""

ADJACENCIES = {key: common.ADJACENCIES[key] for key in ("zero-out", "replace-one")}
PER_1000 = "Per thousand"
NET_BENEFIT = "Net benefit"
CALIBRATION = "Calibration"
GROUPS = "Groups"
RISK_CURVES = "Risk curves"
THE_CHOSEN_METHODS = "Chosen methods"
BEST_METHOD = "Best method"
TAKE_ALONG = "Take along"
ONE_PERSON = "What could someone find out?"
SIDE_BY_SIDE = "Side by side"
NOISE, PROOF, ABOUT = "Noise σ", "Claim and proof", "About the data"
CLOSER = {
    "For one person": (ONE_PERSON,),
    "For the patients": (PER_1000, NET_BENEFIT, CALIBRATION, GROUPS, RISK_CURVES),
    "How it is made": (SIDE_BY_SIDE, THE_CHOSEN_METHODS, BEST_METHOD, NOISE),
    "Proof and take along": (PROOF, TAKE_ALONG, ABOUT),
}
"""What stands under the answer, and the tabs of each."""
TABS = tuple(tab for tabs in CLOSER.values() for tab in tabs)
OF_TWO_CLASSES = (PER_1000, NET_BENEFIT, CALIBRATION, GROUPS, RISK_CURVES)
"""Tabs that need two classes."""
MAX = 1_000_000


def datasets() -> dict[str, str]:
    """Key to title of the user's own table, which is easily found so, and of every data set."""
    from dpcore.datasets import catalogue
    from dpcore.datasets.own.description import ENTRY

    return {entry.key: entry.title for entry in (ENTRY, *catalogue())}


@cache
def _sites() -> dict[str, tuple[str, ...]]:
    from dpcore.datasets import catalogue

    return {entry.key: entry.sites for entry in catalogue() if entry.sites}


def parts_for_testing() -> dict[str, str]:
    sites = [site for each in _sites().values() for site in each]
    return {"": "Records drawn at random", **{site: site for site in sites}}


def private_methods(predicts: str) -> dict[str, str]:
    """Key to title of all that adds noise and can predict this, in display order."""
    from dpcore.predictors import refusal, titles

    losses = RESIDUAL_LOSSES if predicts == "number" else MARGIN_LOSSES
    return {
        key: title
        for key, title in titles().items()
        if key != "nonprivate" and not all(refusal(key, loss, predicts) for loss in losses)
    }


def _titled(*names: str) -> OneOf:
    return OneOf({name: name for name in names}, row=True)


DATA = Control(
    "data",
    "Data",
    OneOf(datasets),
    default="cohort",
    noun="the data set",
    field="dataset",
    option="",
    help=common.DATA,
    state="data",
)
PATIENTS = Control(
    "patients",
    "Patients",
    Stops(COHORTS),
    default=3_000,
    noun="a cohort of",
    fallback_name="3 000 patients",
    field="records",
    brief="size of the synthetic cohort",
    help="How many synthetic patients to learn from. Models are judged on 10 000 others.",
    state="patients",
    shown=where(data="cohort"),
)
DELTA_WAY = Control(
    "delta_way",
    "Failure probability δ",
    _titled(BY_RULE, MY_OWN),
    noun="δ",
    fallback_name="δ by rule",
    help=f"{common.DELTA} {common.DELTA_RULE}",
)
DELTA = Control(
    "delta",
    "δ",
    Stops(common.DELTAS),
    default=1e-5,
    noun="δ =",
    fallback_name="δ by rule",
    field="delta",
    brief="default: by rule",
    shown=where(delta_way=MY_OWN),
    state="delta",
)
ADJACENCY = common.adjacency(
    "adjacency",
    kind=OneOf(ADJACENCIES),
    brief="zero-out (one record blanked) or replace-one",
    help="What counts as one person's data. **One record blanked out**: replaced by an "
    "empty one. **One record replaced**: exchanged for any other. Either way the number of records "
    "is public.",
    state="unit",
)
LOSS = Control(
    "loss",
    "Model",
    OneOf({loss: common.LOSSES[loss] for loss in MARGIN_LOSSES}),
    fallback_name="logistic regression",
    field="loss",
    brief="logistic or huber (classes), squared (numbers); default: by the data set",
    help="How the model learns. **Logistic regression** gives probabilities. The **Huber "
    "support-vector machine** looks for the widest margin, smoothed so that its privacy can be "
    "proved.",
)
HUBER_WIDTH = Control(
    "huber_width",
    "Width h of its corner",
    Stops((0.1, 0.5, 1.0, 2.0, 4.0)),
    default=Study.huber_width,
    noun="h =",
    fallback_name=f"h = {as_set(Study.huber_width)}",
    field="huber_width",
    brief=f"default: {as_set(Study.huber_width)}",
    help="How round the corner of the support-vector machine's loss is. Paper 000 uses 0.5. Under "
    "privacy 2 costs least accuracy. The loss then falls steeply from the start, which makes most "
    "of the noise, and bends little.",
    shown=where(loss="huber"),
)
METHODS = Control(
    "methods",
    "Methods",
    SomeOf(partial(private_methods, "class")),
    default=tuple(key for key in Study.methods if key != "nonprivate"),
    noun="the method",
    fallback_name="the others that are named, or the usual ones",
    field="methods",
    brief=f"comma-separated, models such as decision-tree too; default: {exactly(Study.methods)}",
    help="Ways to train with privacy: linear models first, then trees, naive Bayes and other "
    "models of the survey. The same model without privacy and a guess without any "
    "features are always drawn for comparison.",
)
CHOSEN_METHODS = {
    "class": METHODS,
    "number": replace(
        METHODS,
        key="number_methods",
        kind=SomeOf(partial(private_methods, "number")),
        default=("opera", "inputpert", "objpert", "adassp"),
        option="",
    ),
}
"""By what is predicted; the two have different names in the address."""
EDITION = Control(
    "edition",
    "Edition",
    OneOf(common.EDITIONS, row=True),
    fallback_name="the corrected one",
    field="edition",
    brief="sound (default) or published",
    help="**Corrected**: with the sensitivity and the accounting that can be proved. **As in the "
    "paper**: as it is printed, for study, with its conditions checked.",
)
COMPARED_BY = Control(
    "compared_by",
    "Compared by",
    OneOf({"accuracy": "Accuracy", "auc": "AUC"}, row=True),
    noun="the measure",
    fallback_name="accuracy",
    help="**Accuracy** counts right answers. **AUC**, the area under the ROC curve, asks how well "
    "cases are ranked above the others. It hangs neither on their share nor on where the line is "
    "drawn. Look at it where cases are rare.",
)
LAMBDA_WAY = Control(
    "lambda",
    "Regularisation λ",
    _titled(BY_RULE, NEAR_ZERO, OF_PAPER_000, MY_OWN),
    noun="λ",
    fallback_name="λ by rule",
    help="**Regularisation λ** keeps the model's weights small. Privacy needs it: the smaller λ, "
    "the more one record can move the model, and the more noise is needed. The rule uses only the "
    "number of records n and of features d: λ = (d/n²)^⅓ / 4, rounded. **Near zero** costs DP-GD "
    "least, which stops early instead, and objective perturbation, which sets its own. Output "
    "perturbation then stops after a few steps, and its curve goes up and down. 0.001 is what "
    "paper 000 uses; on a few hundred patients it drowns output perturbation in noise.",
)
LAMBDA = Control(
    "lambda_value",
    "λ",
    Stops(LAMBDAS),
    default=0.01,
    noun="λ =",
    fallback_name="λ = 0.01",
    field="lam",
    brief="λ; default: by rule in n and d",
    help="λ = 0 is the merely convex case: no regularisation, weights kept in a ball.",
    shown=where(**{"lambda": MY_OWN}),
)
RADIUS = Control(
    "radius",
    "Radius R of the ball",
    Stops((0.3, 1.0, 3.0, 10.0, 30.0, 100.0)),
    default=10.0,
    noun="R =",
    fallback_name="R = 10",
    field="radius",
    brief="R, needed when λ = 0",
    help="With λ = 0 the weights are kept inside a ball of this public radius R, as the theorems "
    "need.",
    shown=where(**{"lambda": MY_OWN, "lambda_value": 0.0}),
)
RUNS = Control(
    "runs",
    "Runs",
    Stops((10, 30, 100, 300)),
    default=Study.runs,
    noun="a number of runs of",
    fallback_name=f"{Study.runs} runs",
    field="runs",
    brief=f"default: {Study.runs}",
    help=f"{common.RUNS} A small data set takes at least two on each of its splits.",
)
SEED = Control(
    "seed",
    "Seed",
    Number(0, 2**32 - 1, whole=True),
    default=Study.seed,
    field="seed",
    brief=f"of the noise; default: {Study.seed}",
    help="Start of the random numbers, so that a link shows the same picture again. Change the "
    "seed for new noise.",
    state="seed",
)
MISSING = Control(
    "missing",
    "Gaps in the data",
    OneOf({"impute": "Fill gaps from public values", "drop": "Leave out records with gaps"}),
    noun="for gaps",
    fallback_name="fill gaps from public values",
    field="preparation.missing",
    brief="drop or impute",
    help="Filled in: a number by the middle of its public bounds, a category by a level of its "
    "own. Left out: how many records there are then depends on who has a gap. What is proved "
    "does not cover a person whose record has one.",
)
HELD_OUT = Control(
    "held_out",
    "Test on",
    OneOf(parts_for_testing),
    default="",
    noun="a test on",
    fallback_name="records drawn at random",
    field="preparation.held_out",
    brief="site whose records are tested on, all others being learned from; default: none",
    help="Hold a site out: models learn from all others and are tested on it. It is like a "
    "hospital that the model has never seen. Which site a record comes from counts as public.",
    shown=lambda values: values.get("data") in _sites(),
)
SCALING = Control(
    "scaling",
    "Scale numbers",
    OneOf({"public": "By public bounds", "data": "By the data's own range (leaks)"}),
    noun="the scaling",
    fallback_name="by public bounds",
    field="preparation.scaling",
    brief="public or data (which leaks)",
    help="The data's own smallest and largest value are two patients' values: using them leaks.",
)
INTERVAL = Control(
    "interval",
    "to the interval",
    OneOf({"symmetric": "−1 to 1", "unit": "0 to 1"}, row=True),
    noun="the interval",
    field="preparation.interval",
)
NORM = Control(
    "norm",
    "Length of a record",
    OneOf({"unit": "Every record to length 1", "clip": "Only shorten long records"}),
    noun="the length",
    fallback_name="every record to length 1",
    field="preparation.norm",
    brief="unit or clip",
    help="The proofs need every length at most 1.",
)
INTERCEPT = Control(
    "intercept",
    "Add an intercept",
    Switch(),
    noun="an intercept",
    fallback_name="none",
    field="preparation.intercept",
    brief="a constant feature",
    help="A constant feature; it counts in the length of the record, so nothing leaks.",
)
FEATURES = Control(
    # Train has a control called “features”; two pages must not share a name in the address.
    "feature_map",
    "Features",
    OneOf(
        {
            "rule": "Lines or curves, by rule",
            "plain": "As they are",
            "additive": "A curve in each number (additive)",
            "fine": "A fine curve in each number",
            "fourier": "Random Fourier (Gaussian kernel)",
        }
    ),
    default=Study.preparation.features,
    fallback_name="lines or curves by rule",
    field="preparation.features",
    brief="rule (default: one of the next three at each ε, by public values), plain, additive (a "
    "curve in each number), fine (a finer one) or fourier (random, for a Gaussian kernel)",
    help="**By rule** the numbers of records and of features, ε and δ decide. It takes straight "
    "lines where noise is large, then curves, and fine ones where it is small. **A curve in each "
    "number**: the model adds 12 light steps to the straight line of each number. A **fine curve** "
    "is 24 full steps in its place. The steps stand at public values, so no record moves them. "
    "**Random Fourier features** are waves across the data. Their directions and lengths are "
    "drawn by chance, without looking at any record. A linear model of them can follow curves, as "
    "a Gaussian-kernel machine does. Privacy is proved as before; the noise falls on every "
    "feature.",
)
FOURIER_FEATURES = Control(
    "fourier_features",
    "Number of features",
    Stops((16, 32, 64, 128, 256, 512, 1_024)),
    default=Preparation.fourier_features,
    fallback_name=f"{Preparation.fourier_features} features",
    field="preparation.fourier_features",
    brief="how many; an even number",
    help="More come closer to the kernel, and noise falls on each of them.",
    shown=where(feature_map="fourier"),
)
BANDWIDTH = Control(
    "bandwidth",
    "Bandwidth",
    Stops((0.1, 0.2, 0.3, 0.5, 0.7, 1.0, 2.0, 5.0)),
    default=Preparation.bandwidth,
    fallback_name=f"bandwidth {as_set(Preparation.bandwidth)}",
    field="preparation.bandwidth",
    brief="of the Gaussian kernel; rows are at most 1 long",
    help="How far apart two records may be and still count as alike; their length is 1 at most.",
    shown=where(feature_map="fourier"),
)
STEPS = Control(
    "steps",
    "Steps T",
    Number(1, MAX, whole=True),
    noun="a number of steps T of",
    field="steps",
    brief="T; default: each method's rule",
    placeholder="by each method's rule",
    help="How many training steps T. Empty: each method's own written rule.",
)
MAY_MISS = Control(
    "may_miss",
    "Contributors who may stay away",
    Number(0, MAX, whole=True),
    default=0,
    noun="a number of contributors who stay away of",
    field="missing_contributors",
    brief="inputpert: people who may stay away without the promise being broken",
    help="InputPert: how many people may stay away, or tell others their noise, without the "
    "promise being broken. Everyone else adds more noise to make up for them.",
)
FULL_LENGTH = Control(
    "full_length",
    "GRPUA and SgdPert: the paper's length",
    Switch(),
    noun="the paper's length",
    fallback_name="the usual one",
    field="full_length",
    brief="published GRPUA and SgdPert: T = n² - 1",
    help="Paper 000 runs T = n² - 1 steps. Here T = n by default, which differs from the paper; up "
    "to 1 000 records its own length can be chosen. Training then takes longer.",
    shown=where(edition="published"),
)
AXIS = Control(
    "axis",
    "ε of the curves",
    OneOf({"usual": "0.001 to 100", "paper-000": "10⁻⁹ to 1"}, row=True),
    noun="an ε axis",
    fallback_name="0.001 to 100",
    help="The second is that of the figures of paper 000: one ε a decade.",
)
BEST = "best"
FOCUS = Control(
    "focus",
    "Numbers for",
    OneOf(
        lambda: {
            BEST: "The method by rule",
            **private_methods("class"),
            **private_methods("number"),
        }
    ),
    default=BEST,
    noun="numbers for",
    help="The method that the sentence, the numbers and the strong line are about. The rule looks "
    "at no record: it takes one method below a large ε and another from there on.",
)
CONTROLS = Page(
    *(DATA, PATIENTS, DELTA_WAY, DELTA, ADJACENCY, LOSS, HUBER_WIDTH, *CHOSEN_METHODS.values()),
    *(EDITION, COMPARED_BY, LAMBDA_WAY, LAMBDA, RADIUS, RUNS, SEED),
    *(MISSING, HELD_OUT, SCALING, INTERVAL, NORM, INTERCEPT, FEATURES, FOURIER_FEATURES, BANDWIDTH),
    *(STEPS, MAY_MISS, FULL_LENGTH, FOCUS, AXIS),
)

EPSILON = Control(
    "epsilon",
    "Privacy loss ε",
    Number(MIN_EPSILON, MAX_EPSILON, step=0.1),
    default=1.0,
    noun="ε =",
    fallback_name="ε = 1",
    option="epsilon",
    brief=f"comma-separated total ε; default: {exactly(FEW_EPSILONS)}",
    help="**Privacy loss ε** bounds how much the published model can tell about any one person. No "
    "outcome becomes more than e^ε times as likely because of one record, except with the small "
    "probability δ. Small ε: strong promise, much noise.",
    state="epsilon",
)
TYPED = (
    Control(
        "include",
        "Columns",
        SomeOf({}),
        field="preparation.include",
        brief="comma-separated columns that are usually left out",
    ),
    Control(
        "test_fraction",
        "Share for testing",
        Number(0.0, 1.0),
        field="preparation.test_fraction",
        brief="share of the records kept for testing",
    ),
    Control(
        "split_seed",
        "Seed of the split",
        Number(0, 2**63 - 1, whole=True),
        field="preparation.seed",
        option="split-seed",
    ),
)
"""Options that no page draws."""
MAY_COST = {
    "accuracy": Control(
        "may_cost",
        "Points of accuracy that privacy may cost",
        Number(0.0, 50.0, step=0.5),
        default=3.0,
        noun="a cost in points of",
        help="The lowest acceptable accuracy, counted down from the model without privacy. "
        "The answer is the ε from which on the best proved method keeps it.",
    ),
    "auc": Control(
        "may_lose",
        "AUC that privacy may cost",
        Number(0.0, 0.5, step=0.005),
        default=0.03,
        noun="a cost in AUC of",
        help="The lowest acceptable AUC, counted down from the model without privacy. The "
        "answer is the ε from which on the best proved method keeps it.",
    ),
    "rmse": Control(
        "may_raise",
        "Percent by which privacy may raise the RMSE",
        Number(0.0, 500.0, step=1.0),
        default=10.0,
        noun="an error raised in percent by",
        help="The largest acceptable error, counted up from the model without privacy. The "
        "answer is the ε from which on the best proved method keeps it.",
    ),
}
THRESHOLD = Control(
    "threshold",
    "Act from a risk of, in %",
    Number(1, 99, whole=True, slider=True),
    default=50,
    noun="a threshold in % of",
    option="threshold",
    brief="comma-separated risks from which one acts, as shares of 1; default: 0.01 to 0.99",
    help="From which risk on one treats, tests or calls back: the **threshold probability**. Who "
    "acts from 20 % on takes four false alarms for one case found.",
)
CORRECTED = Control(
    "corrected",
    "Corrected risks",
    Switch(),
    noun="corrected risks",
    fallback_name="risks as the model gives them",
    option="corrected",
    brief="correct risks by noisy counts, paid from the same ε",
    help="Noise makes a model's risks too extreme or too timid. Here they are corrected by counts "
    "of how many people with each score have the condition. The counts have noise, too, and are "
    "paid from the same ε: the model is trained with a little less.",
)
PLOTTED = Control(
    "plotted",
    "Beside them",
    OneOf(
        {
            "objective": "Objective",
            "excess_risk": "Excess risk",
            "auc": "AUC",
            "rmse": "RMSE",
            "seconds": "Seconds",
        },
        row=True,
    ),
    noun="a plot of",
    help="The **objective** is what training minimises, on the training records. The **excess "
    "risk** is how far it lies above its minimum. **Seconds** are those of training one model.",
)
VIEW = common.tabs("view", TABS)
SHARED = (DATA, PATIENTS, EPSILON, DELTA, ADJACENCY, SEED)
"""The controls of the state that pages share."""
DETAIL = (
    EPSILON,
    *MAY_COST.values(),
    THRESHOLD,
    CORRECTED,
    PLOTTED,
    VIEW,
    *common.RISK,
)
"""Controls of the answer and of the tabs under it."""

COMPARED = ("inputpert", "objpert", "outpert_pure")
COMMON = {
    "edition": "sound",
    "adjacency": "replace-one",
    "delta_way": MY_OWN,
    "delta": 1e-5,
    "lambda": BY_RULE,
    "feature_map": "plain",
}
OF_000: dict[str, Any] = {
    "methods": ("outpert", "opera", "sgdpert", "grpua"),
    "edition": "published",
    "adjacency": "replace-one",
    "delta_way": MY_OWN,
    "delta": 0.001,
    "lambda": OF_PAPER_000,
    "missing": "drop",
    "scaling": "data",
    "interval": "unit",
    "norm": "unit",
    "feature_map": "plain",
    "axis": "paper-000",
    "view": SIDE_BY_SIDE,
}
FIGURES_OF_000 = {
    f"Paper 000, figure {figure}: {measure}, {title}": (
        figure,
        {"data": data, "loss": loss, "huber_width": 0.5, "plotted": plotted, **OF_000},
    )
    for figure, loss, measure, plotted in (
        (2, "logistic", "accuracy", "objective"),
        (3, "logistic", "objective", "objective"),
        (4, "huber", "accuracy", "objective"),
        (5, "huber", "objective", "objective"),
    )
    for data, title in (("adult", "Adult"), ("bank", "Bank"))
}
"""The figure, and its settings."""
PRESETS: dict[str, dict[str, Any]] = {
    "Paper 002, figure 2: accuracy": {
        "data": "cohort",
        "patients": 30_000,
        "loss": "logistic",
        "methods": COMPARED,
        **COMMON,
    },
    "Paper 002, figure 2: RMSE": {"data": "diabetes", "number_methods": COMPARED, **COMMON},
    **{title: settings for title, (_, settings) in FIGURES_OF_000.items()},
}
"""Settings to start from: those behind a paper's figures."""
