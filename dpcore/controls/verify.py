"""The controls of a trial on the page: whose promise, at which ε, with how much of the noise."""

from __future__ import annotations

from functools import cache

from dpcore.controls.control import Control, OneOf, Page
from dpcore.erm.methods import register
from dpcore.guarantee import Edition

OWN = USUAL = "own"
MOST_ATTACKS = 9
EPSILONS = {OWN: None, "0.3": 0.3, "1": 1.0, "4": 4.0}
SHARES = {"all": 1.0, "two thirds": 2.0 / 3.0, "half": 0.5}
EDITIONS = {"sound": "Sound", "published": "As printed"}


@cache
def titles() -> dict[str, str]:
    """Name on screen what can be tried, by its key."""
    from dpcore.audit.register import attacks
    from dpcore.models.systems import register as models

    named = {**register(), **models()}
    others = {
        "training": "Training a network",
        "one-run": "One training, many canaries",
        "outsider": "What a network says",
        "recalibration": "Corrected risks",
    }
    return {key: named[key].title if key in named else others.get(key, key) for key in attacks()}


@cache
def _cases() -> dict[str, str]:
    from dpcore.audit.court import cases

    return {key: case.title for key, case in cases().items()}


VIEW = Control(
    "on_trial",
    "",
    OneOf(
        {
            "one": "One method",
            "every": "All",
            "court": "Libraries",
            "own": "Your own",
        },
        row=True,
    ),
    default="one",
    noun="what is on trial",
    fallback_name="one method",
)
CASE = Control(
    "case",
    "Open a case",
    OneOf(_cases),
    noun="the case",
    fallback_name="all cases",
    placeholder="by its name",
    help="Opens one case, which is then tried.",
)
METHOD = Control(
    "tried",
    "Put on trial",
    OneOf(titles),
    default="opera",
    noun="to try",
    fallback_name="OPERA",
    help="Outputs of the code that runs here are drawn on two data sets that differ in one record. "
    "An attack tells them apart.",
)
EDITION = Control(
    "tried_as",
    "Edition",
    OneOf(EDITIONS),
    default=str(Edition.SOUND),
    noun="the edition to try",
    fallback_name="the sound one",
    help="As printed, a convex method is tried against what its paper claims.",
)
EPSILON = Control(
    "tried_epsilon",
    "Promised ε",
    OneOf({OWN: "Usual", **{key: key for key in EPSILONS if key != OWN}}),
    default=OWN,
    noun="the promised ε",
    fallback_name="where the attack is best",
    help="What is promised. Usual: where the attack is best.",
)
NOISE = Control(
    "tried_noise",
    "Noise",
    OneOf({key: key.capitalize() for key in SHARES}, row=True),
    default="all",
    noun="the noise",
    fallback_name="all of it",
    help="With less noise than its promise needs, a copy of the method gets caught.",
)
ATTACK = Control(
    "tried_attack",
    "Attack",
    OneOf({USUAL: "Usual", **{str(number): str(number) for number in range(1, MOST_ATTACKS + 1)}}),
    default=USUAL,
    noun="the attack",
    fallback_name="the usual one",
    help="Several attacks try some methods: other neighbours, another loss.",
)
CONTROLS = Page(VIEW, CASE, METHOD, EDITION, EPSILON, NOISE, ATTACK)
