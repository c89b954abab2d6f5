"""The certificate of a released model: what is claimed, what is proved, what an attack found.

It is made of facts (what was asked of a person, the mechanism, hashes, the entry in the ledger, the
attack), and of what follows from them without data: every number of the proof, and the record for
OpenDP's registry. Checking it makes the second part anew from the first (`dpcore.release.check`).
"""

from __future__ import annotations

import platform
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Any

import numpy as np
import scipy

from dpcore.accounting.events import MAX_CHOSEN, declared
from dpcore.datasets.own.notation import read
from dpcore.datasets.persons import MAX_ROWS_A_PERSON
from dpcore.errors import one_of, reject, whole
from dpcore.guarantee import Adjacency
from dpcore.release import documents
from dpcore.release.documents import canonical, digest
from dpcore.release.ledger.spends import text
from dpcore.release.mechanism import PROFILE, Mechanism
from dpcore.release.tuning import checked
from dpcore.words import at_most, spaced

ONE_ROW = "other rows of the same person: one row is one unit"
ONE_PERSON = (
    "rows of the same person under another value of the column that says whose they are: one value "
    "is one unit",
    "the most rows of one person that count",
)
FORMAT = "dpcore certificate 1"
NOISE = (
    "normal noise of standard deviation σ, rounded to whole units and sampled exactly; it is no "
    "discrete Gaussian, of which another theorem would have to speak"
)
THEOREMS = (
    "rounding on a grid is post-processing of Gaussian noise (docs/release.md)",
    "adaptive composition of Gaussian DP (Dong, Roth and Su 2022, Corollary 2)",
    "exact privacy profile of the Gaussian mechanism (Balle and Wang 2018, Theorem 8)",
)
COUNTS = (
    "some of the sums are counts of scores, to which one record adds whole numbers of no greater "
    "length (dpcore/release/risk_counts.py)"
)


@dataclass(frozen=True)
class Record:
    """A record is one row, or all rows of one person, of which at most `rows` count, as one."""

    rows: int | None = None

    @classmethod
    def of(cls, columns: str) -> Record:
        """Read what a record is from a description of columns."""
        person = read(columns).person
        return cls(person.most if person is not None and person.column else None)

    @classmethod
    def in_facts(cls, facts: Mapping[str, Any]) -> Record:
        """Read what a record is from the facts of a certificate."""
        if "person" not in facts:
            return cls()
        stated: Any = facts["person"]
        rows = stated.get("rows") if isinstance(stated, dict) and len(stated) == 1 else None
        if not isinstance(rows, int) or isinstance(rows, bool):
            raise reject("person", stated, "rows, a whole number")
        return cls(whole("rows of a person", rows, at_least=1, at_most=MAX_ROWS_A_PERSON))

    def facts(self) -> dict[str, Any]:
        """What it adds to the facts of a certificate."""
        return {} if self.rows is None else {"person": {"rows": self.rows}}

    @property
    def noun(self) -> str:
        """What n counts."""
        return "records" if self.rows is None else "persons"

    def being(self, person_unit: str) -> str:
        """What one record is, for an account's unit."""
        if self.rows is None:
            return person_unit
        rows = f"{self.rows} row{'s' if self.rows != 1 else ''}"
        return f"{person_unit}, of whom at most {rows} count, as one"

    def neighbours(self, adjacency: Adjacency) -> str:
        """Which data sets are compared, in one sentence."""
        if self.rows is None:
            return adjacency.meaning
        blanked = "blanked out" if adjacency == Adjacency.ZERO_OUT else "exchanged for any others"
        return f"All rows of one person are {blanked}; the number of persons is public."

    @property
    def theorems(self) -> tuple[str, ...]:
        """What the proof uses besides where a record is a person."""
        if self.rows is None:
            return ()
        return (
            "the mean of a person's vectors is no longer than the longest, and rows are chosen by "
            "lots of their own (dpcore/datasets/persons.py)",
        )

    @property
    def sums(self) -> str:
        means = "" if self.rows is None else ", each the mean of one person's rows,"
        return f"sums of whole vectors{means} of length at most"

    @property
    def unprotected(self) -> tuple[str, ...]:
        """What the promise does not cover."""
        return (ONE_ROW,) if self.rows is None else ONE_PERSON


@dataclass(frozen=True)
class TriedModels:
    """How many models like it were tried: in the release, or by the word of whoever releases it."""

    among: int | None = 1  # 1 where nothing was declared; none in certificates from before
    factors: tuple[float, ...] = ()  # of λ, where the release tried them itself

    @classmethod
    def in_facts(cls, facts: Mapping[str, Any]) -> TriedModels:
        """Read the choice from the facts of a certificate."""
        if "choice" not in facts:
            return cls(None)
        among = whole("models tried", facts["choice"]["among"], at_least=1, at_most=MAX_CHOSEN)
        factors = checked(tuple(facts["choice"].get("factors", ())))
        if factors and len(factors) != among:
            raise reject("models tried", among, f"{len(factors)}, one for each factor of λ")
        if bool(factors) != bool(facts["training"].get("score_sums", 0)):
            raise reject(
                "factors of λ", len(factors), "there where tries are scored, and only there"
            )
        return cls(among, factors)

    def facts(self) -> dict[str, Any]:
        """What it adds to the facts of a certificate."""
        if self.among is None:
            return {}
        tried = {"factors": list(self.factors)} if self.factors else {}
        return {"choice": {"among": self.among, **tried}}

    def proof(self) -> dict[str, str]:
        """What it adds to the proof."""
        if self.among is None:
            return {}
        if self.factors:
            return {
                "choice": f"chosen among {spaced(self.among)}, all trained and scored with noise"
            }
        return {"choice": declared(self.among)}

    @property
    def claimed(self) -> str:
        """What it adds to the claim."""
        if self.among in (None, 1):
            return ""
        return (
            f" That holds of all {spaced(self.among or 1)} models that it was chosen among"
            f"{'' if self.factors else ', as declared'}, and of a choice by what they say and by "
            "public data."
        )


def all_tried(facts: Mapping[str, Any]) -> Mechanism:
    """The mechanism of all models that this one was chosen among."""
    return Mechanism(**facts["mechanism"]).times(TriedModels.in_facts(facts).among or 1)


@dataclass(frozen=True)
class About:
    """What only a person can say of a release. With ε and δ that makes eight answers."""

    name: str
    description: str
    data_curator: str  # who answers for the data
    intended_use: str
    region: str  # whose people the data describe
    sector: str = "Healthcare"  # one of the registry's

    def __post_init__(self) -> None:
        # The ledger's rule: printable letters on one line.
        for field, value in asdict(self).items():
            object.__setattr__(self, field, text(field.replace("_", " "), value))
        one_of("sector", self.sector, documents.REGISTRY_CHOICES["data_product_sector"])


@dataclass(frozen=True)
class Certificate:
    """A certificate as plain data."""

    document: Mapping[str, Any]  # facts, what follows from them, and the hash of both

    @cached_property
    def hash(self) -> str:
        """SHA-256 of the canonical certificate without this hash; the ledger keeps it."""
        return digest(
            canonical({name: part for name, part in self.document.items() if name != "hash"})
        )

    def to_yaml(self) -> str:
        """The certificate as the text of a file."""
        import yaml

        written: str = yaml.safe_dump(
            dict(self.document), sort_keys=False, allow_unicode=True, width=100
        )
        return written

    def to_html(self) -> str:
        """The certificate as one file that loads nothing and runs nothing."""
        from dpcore.release.certificate_html import html

        return html(self.document)

    def is_page(self, page: bytes) -> bool:
        """Whether this is its file of HTML."""
        return page == self.to_html().encode()


def certificate(facts: Mapping[str, Any]) -> Certificate:
    """The certificate of these facts; see `facts_of`."""
    document = {"format": FORMAT, "facts": facts, **derived(facts)}
    return Certificate({**document, "hash": Certificate(document).hash})


def facts_of(
    *,
    about: About,
    budget: Mapping[str, float],
    mechanism: Mechanism,
    training: Mapping[str, Any],
    hashes: Mapping[str, Any],
    ledger: Mapping[str, Any],
    record: Record,
    choice: TriedModels,
    attack: Mapping[str, Any],
    released: str,
) -> dict[str, Any]:
    """Collect all that a certificate follows from.

    `training` has public settings without influence on the proof; `released` is a day, YYYY-MM-DD.
    """
    import dpcore

    return {
        "about": asdict(about),
        "released": released,
        "budget": dict(budget),
        "mechanism": mechanism.to_json(),
        "training": dict(training),
        "hashes": dict(hashes),
        "ledger": dict(ledger),
        **record.facts(),
        **choice.facts(),
        "attack": dict(attack),
        "versions": {
            "dpcore": dpcore.__version__,
            "python": platform.python_version(),
            "numpy": np.__version__,
            "scipy": scipy.__version__,
        },
    }


def derived(facts: Mapping[str, Any]) -> dict[str, Any]:
    """What follows from facts without data: claim, proof and the registry's record."""
    mechanism, budget = all_tried(facts), facts["budget"]
    record, choice = Record.in_facts(facts), TriedModels.in_facts(facts)
    adjacency = Adjacency(mechanism.adjacency)
    About(**facts["about"])  # one line of text each, which its page is made of
    epsilon = above_zero(mechanism.epsilon(budget["delta"]), budget["delta"])
    count_sums = _count_sums(facts)
    proof = {
        "epsilon": epsilon,
        "delta": budget["delta"],
        "adjacency": str(adjacency),
        "neighbours": record.neighbours(adjacency),
        **choice.proof(),
        "mu": mechanism.mu,
        "profile": [{"epsilon": each, "delta": mechanism.delta(each)} for each in PROFILE],
        "sensitivity": mechanism.sensitivity,
        "noise_multiplier": mechanism.noise_multiplier,
        "noise": NOISE,
        "accountant": "Gaussian DP, exact",
        "by": [*record.theorems, *([COUNTS] if count_sums else []), *THEOREMS],
        "keeps_the_budget": bool(epsilon <= budget["epsilon"]),
    }
    claim = (
        f"{_released(count_sums)} are ({at_most(budget['epsilon'], 6)}, "
        f"{at_most(budget['delta'], 6)})-differentially private: "
        f"{adjacency.difference}, a record being {record.being(facts['ledger']['person_unit'])}."
        f"{choice.claimed}"
    )
    return {
        "claim": claim,
        "proof": proof,
        "unprotected": _unprotected(record),
        "registry": _registry(facts, mechanism, epsilon, record),
    }


def above_zero(epsilon: float, delta: float) -> float:
    """A proved ε, refused where δ alone covers the noise: nothing is told of a model then."""
    if epsilon <= 0.0:
        raise reject("delta", delta, "so small that ε is above 0")
    return epsilon


def _count_sums(facts: Mapping[str, Any]) -> int:
    """How many of the sums are counts; certificates from before there were any do not say."""
    stated = facts["training"].get("count_sums", 0)
    if not isinstance(stated, int) or isinstance(stated, bool):
        raise reject("count sums", stated, "a whole number")
    steps = Mechanism(**facts["mechanism"]).steps
    scored = facts["training"].get("score_sums", 0)
    return whole("count sums", stated, at_least=0, at_most=steps - 1 - scored)


def _released(count_sums: int) -> str:
    return "The weights and the correction of the risks" if count_sums else "The weights"


def _unprotected(record: Record) -> list[str]:
    return [
        "the description of the columns: names, ranges, lists",
        f"the number of {record.noun} n: it divides each sum, and steps (with them σ), step length "
        "and λ follow from it",
        "the time and memory that the release took, and its date",
        "which data set it was, and who released it",
        *record.unprotected,
        "what was measured on the records apart from this release, and choices made by it",
    ]


def _registry(
    facts: Mapping[str, Any], mechanism: Mechanism, epsilon: float, record: Record
) -> dict[str, Any]:
    about, delta = facts["about"], facts["budget"]["delta"]
    tried = "".join(f"; {said}" for said in TriedModels.in_facts(facts).proof().values())
    adjacency = Adjacency(mechanism.adjacency)
    deployment = {
        "name": about["name"],
        "data_curator": about["data_curator"],
        "description": about["description"],
        "intended_use": about["intended_use"],
        "data_product_type": "Machine learning model",
        "data_product_region": about["region"],
        "data_product_sector": about["sector"],
        "publication_date": facts["released"],
        "dp_flavor": {
            "name": "Approximate DP",
            "data_domain": (
                f"Tables with the described columns and the public number of {record.noun}."
            ),
            "unprotected_quantities": "; ".join(_unprotected(record)) + ".",
        },
        "privacy_loss": {
            "privacy_unit": facts["ledger"]["person_unit"],
            "privacy_unit_description": record.neighbours(adjacency),
            "privacy_parameters": {"epsilon": epsilon, "delta": delta},
            "privacy_parameters_description": (
                f"Also {at_most(mechanism.mu, 6)}-Gaussian DP, from which every (ε, δ) follows."
            ),
        },
        "model": {
            "model_name": "Central",
            "actors": (
                "Whoever runs the release sees the records and is trusted; whoever gets the "
                "weights may know every other record, the program and all settings."
            ),
            "is_many_release": False,
            "is_dynamic": False,
            "is_interactive": False,
        },
        "accounting": {
            "post_processing": (
                f"{_released(_count_sums(facts))} follow from the noisy sums and public "
                "values alone."
            ),
            "composition": (
                f"{spaced(mechanism.steps)} adaptive Gaussian mechanisms, exactly; with other "
                "releases by the ledger."
            ),
        },
        "implementation": {
            "pre_processing_eda_hyperparameter_tuning": (
                "Columns are scaled by public ranges. Settings follow from public values by fixed "
                f"rules{tried}. What was explored on the records before is not covered."
            ),
            "mechanisms": (
                f"Gaussian noise of σ = {spaced(mechanism.sigma)} units on {record.sums} "
                f"{spaced(mechanism.bound)} units, a unit being 1/{spaced(mechanism.units)} of the "
                "clipping norm; rounded to whole numbers, which are sampled exactly, without "
                "floating point, from the operating system's entropy. Time is not protected."
            ),
            "justification": (
                "Each step's proof is checked in code, and an attack on the same mechanism is part "
                "of the certificate."
            ),
        },
    }
    documents.check_deployment(deployment)
    return {
        "status": "Draft",
        "registry_authors": [facts["ledger"]["actor"]],
        "tier": 3,
        "deployment": deployment,
    }
