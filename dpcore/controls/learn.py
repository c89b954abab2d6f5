"""The controls of Learn; a guess is none: it stays in the session, and no address holds it."""

from __future__ import annotations

from math import log

from dpcore.controls.common import EDITIONS
from dpcore.controls.control import Control, OneOf, Page, Stops, Switch, Text, where
from dpcore.controls.explore import SEED
from dpcore.words import at_most

COINS = tuple(log((1.0 + truth) / (1.0 - truth)) for truth in (0.25, 0.5, 0.75, 0.875))
"""ε of coins that let the truth through with so many chances of 1; each is some fair coins."""


def _lessons() -> dict[str, str]:
    from dpcore.lessons import LESSONS

    return {str(number): f"{number}. {each.title}" for number, each in enumerate(LESSONS, 1)}


LESSON = Control(
    "lesson",
    "Lesson",
    # A link may name a lesson by its number alone, whatever its title becomes.
    OneOf(_lessons, also={number: number for number in "1234567"}),
    default="1",
    noun="the lesson",
    fallback_name="the first one",
    help="Seven lessons of at most eight minutes: guess, then see, then change.",
)
CLASS = Control(
    "class",
    "Class",
    Switch(),
    noun="a class",
    fallback_name="a visit of one's own",
    help="Lesson and seed are fixed, so that everybody sees the same. Switch it on, then send the "
    "link under “Link”.",
)
PRESENTER = Control(
    "presenter",
    "Presenter",
    Switch(),
    noun="the presenter's view",
    fallback_name="the usual view",
    help="Large type and the guess or one change alone, for a screen that a room looks at. The "
    "arrows at the top bring these controls back.",
)
CLASS_CODE = Control(
    "class_code",
    "Class code",
    Text(4),
    placeholder="On the presenter's screen",
    help="Four letters that join a class. Its presenter chooses the lesson, and sees the guesses "
    "without names.",
)
CHANGES = Page(
    Control(
        "learn_known",
        "How many of the 99 others they know",
        Stops((99, 90, 50, 0), row=True),
        default=99,
        noun="a number of known others of",
        field="known",
        help="Of those they do not know, each smokes with a chance of 24 in 100. ε stays the same: "
        "it does not rely on what others know.",
        shown=where(lesson="1"),
    ),
    Control(
        "learn_noise",
        "Noise",
        OneOf({"laplace": "Laplace, δ = 0", "gaussian": "Gaussian, δ = 1e-5"}, row=True),
        noun="the noise",
        field="noise",
        help="Two ways to draw the noise. Gaussian noise allows a δ, and pays for it on one count.",
        shown=where(lesson="2"),
    ),
    Control(
        "learn_epsilon",
        "ε",
        Stops((0.1, 0.3, 1.0, 3.0), row=True),
        default=0.3,
        noun="an ε of",
        field="epsilon",
        help="The same for every size. Less ε is more privacy, and more noise.",
        shown=where(lesson="3"),
    ),
    Control(
        "learn_answers",
        "Noise of each answer",
        OneOf({"fresh": "Fresh", "repeated": "Same again", "split": "One ε for all"}, row=True),
        noun="the noise",
        field="answered",
        help="**Fresh**: every answer costs ε. **Same again**: the first answer is given "
        "again, and costs nothing more. **One ε for all**: each of k answers has √k times the "
        "noise. All together then cost what one costs.",
        shown=where(lesson="4"),
    ),
    Control(
        "learn_edition",
        "Edition",
        OneOf(EDITIONS, row=True),
        default="published",
        noun="the edition",
        field="edition",
        help="**As in the paper**: the paper's noise for its claim. **Corrected**: the noise for "
        "which that ε is certified.",
        shown=where(lesson="5"),
    ),
    Control(
        "learn_claimed",
        "Claimed ε to attack",
        Stops((1e-9, 1e-3, 0.1, 1.0), row=True),
        default=0.1,
        noun="a claimed ε of",
        help="An attack trains 4 000 models to see which of two data sets they come from.",
        shown=where(lesson="5"),
    ),
    Control(
        "learn_group",
        "Small group",
        OneOf(
            {
                "alone": "Smokers who live alone",
                "kidney": "Kidney function below 45",
                "admitted": "Three or more admissions",
                "young": "Younger than 40",
            }
        ),
        noun="the group",
        field="group",
        help="Named by one or two columns before any model is trained.",
        shown=where(lesson="6"),
    ),
    Control(
        "learn_patients",
        "Patients, n",
        Stops((1000, 3000, 10_000), row=True),
        default=3000,
        noun="a number of patients of",
        field="records",
        help="Patients that the one model learns from.",
        shown=where(lesson="6"),
    ),
    Control(
        "learn_coin",
        "ε of each answer",
        Stops(COINS, at_most, row=True),
        default=COINS[1],
        noun="an ε of",
        field="epsilon",
        help="Less ε is a coin that more often answers by chance. One who has answered keeps the "
        "coin of then.",
        shown=where(lesson="7"),
    ),
)
"""What one changes once the curve is seen."""

SHARED = (SEED,)
"""The controls of the state that pages share."""
EVERY = (LESSON, SEED, CLASS, CLASS_CODE, PRESENTER, *CHANGES)
