"""Any order of spends, crashes, raised caps and checks keeps the cap and the history."""

from __future__ import annotations

import contextlib
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from dpcore.accounting.accountants import certify_along
from dpcore.accounting.events import Laplace, steps
from dpcore.guarantee import Adjacency
from dpcore.release.ledger import GaussianSpend, Ledger, PureSpend, Refused, SubsampledGaussianSpend
from dpcore.release.ledger import ledger as module

SPENDS = st.one_of(
    st.builds(GaussianSpend, st.sampled_from([3.0, 10.0, 40.0]), st.integers(1, 5)),
    st.builds(
        SubsampledGaussianSpend,
        st.sampled_from([0.8, 1.1, 4.0]),
        st.sampled_from([0.01, 0.1]),
        st.sampled_from([10, 300]),
    ),
    st.builds(PureSpend, st.sampled_from([0.01, 0.2, 1.0])),
)
DELTA = 1e-5


class Crash(Exception):
    """The power goes off."""


class Interleaved(RuleBasedStateMachine):
    """A ledger in a file, and what a careful bystander wrote down of it."""

    def __init__(self):
        super().__init__()
        self.folder = tempfile.TemporaryDirectory()
        self.place = Path(self.folder.name) / "ledger.db"
        self.ledger = Ledger.open(self.place)
        self.cap = 2.0
        terms = {"person_unit": "one patient", "adjacency": "zero-out", "owner": "A"}
        self.ledger.create("clinic", epsilon=self.cap, delta=DELTA, **terms)
        self.spent: list[Any] = []
        self.heads: list[str] = []

    def teardown(self):
        """Compare with the tightest accountant, which may not itself steer."""
        self.ledger.close()
        self.folder.cleanup()
        parts = []
        for spend in self.spent:
            pure = isinstance(spend, PureSpend)
            parts += steps(Laplace(1.0 / spend.epsilon)) if pure else (spend.step(),)
        if parts:
            total = [sum(part.count for part in parts)]
            (proved,) = certify_along(parts, total, DELTA, Adjacency.ZERO_OUT)
            assert proved.bound <= self.cap

    def reopen(self):
        """A new process."""
        self.ledger.close()
        self.ledger = Ledger.open(self.place)

    @rule(spend=SPENDS)
    def spend(self, spend):
        left = self.ledger.left("clinic")
        fits = left.more(spend) > 0
        if fits:
            receipt = self.ledger.spend("clinic", spend, actor="B", purpose="x")
            self.spent.append(spend)
            self.heads.append(receipt.chain_head)
        else:
            with pytest.raises(Refused) as refused:
                self.ledger.spend("clinic", spend, actor="B", purpose="x")
            assert refused.value.left == left

    @rule(spend=SPENDS)
    def crash_before_the_commit(self, spend):
        append = module._append

        def crash(*arguments):
            append(*arguments)
            raise Crash

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(module, "_append", crash)
            with pytest.raises((Crash, Refused)):
                self.ledger.spend("clinic", spend, actor="B", purpose="x")
        self.reopen()

    @rule(spend=SPENDS)
    def crash_after_the_commit(self, spend):
        """Nobody hears of the receipt, and no noise is drawn: it is spent all the same."""
        with contextlib.suppress(Refused):
            self.ledger.spend("clinic", spend, actor="B", purpose="x")
            self.spent.append(spend)
        self.reopen()

    @precondition(lambda self: self.cap < 4.0)
    @rule()
    def raise_cap(self):
        self.cap += 0.5
        self.ledger.raise_cap("clinic", epsilon=self.cap, delta=DELTA, reason="x", actor="C")

    @rule()
    def verify(self):
        assert self.ledger.verify(self.heads) == []

    @invariant()
    def the_cap_is_kept(self):
        left = self.ledger.left("clinic")
        assert left.cap == (self.cap, DELTA)
        assert left.epsilon_spent <= self.cap
        kinds = [entry.kind for entry in self.ledger.history("clinic")]
        assert kinds.count("spent") == len(self.spent)


TestInterleaved = Interleaved.TestCase
TestInterleaved.settings = settings(
    max_examples=12,
    stateful_step_count=15,
    deadline=None,
    database=None,
    suppress_health_check=list(HealthCheck),
)
