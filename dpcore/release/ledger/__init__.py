"""The budget ledger: what was spent on each data set, paid before any noise is drawn.

docs/ledger.md says what it promises and what it does not.
"""

from dpcore.release.ledger.chain import LedgerEntry
from dpcore.release.ledger.filter import LedgerAccount, Left, Refused
from dpcore.release.ledger.ledger import Ledger, Receipt
from dpcore.release.ledger.spends import (
    ApproximateSpend,
    ConcentratedSpend,
    DeclaredSpend,
    GaussianSpend,
    PureSpend,
    Spend,
    SubsampledGaussianSpend,
    declared,
)

__all__ = [
    "ApproximateSpend",
    "ConcentratedSpend",
    "DeclaredSpend",
    "GaussianSpend",
    "Ledger",
    "LedgerAccount",
    "LedgerEntry",
    "Left",
    "PureSpend",
    "Receipt",
    "Refused",
    "Spend",
    "SubsampledGaussianSpend",
    "declared",
]
