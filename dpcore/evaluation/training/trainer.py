"""Trainings side by side, epoch by epoch, with a ledger of the ε spent by each.

Runs of small networks that differ in seed and σ only are one batch. Ledgers follow from
configuration and steps alone, so a resumed training has spent as much as an unbroken one.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from numpy.typing import NDArray

from dpcore.accounting.epsilon_curve import checkpoints
from dpcore.accounting.planner import solve, spent
from dpcore.deep.config import TrainingConfig, together
from dpcore.deep.training import TrainingRun
from dpcore.errors import InvalidInput
from dpcore.evaluation.training import measures
from dpcore.evaluation.training.data import known
from dpcore.evaluation.training.study import ACCOUNTANT, MAX_ROWS, EpsilonLedger, assurance, stands
from dpcore.guarantee import Guarantee
from dpcore.progress import Progress, silent
from dpcore.work.task import Partial

if TYPE_CHECKING:
    import pandas as pd

    from dpcore.evaluation.training.data import TrainingData
    from dpcore.evaluation.training.study import TrainingStudy

COLUMNS = (
    "study",
    "dataset",
    "features",
    "network",
    "noise",
    "run",
    "epoch",
    "steps",
    "sigma",
    "epsilon",
    "delta",
    "adjacency",
    "accountant",
    "loss_train",
    "accuracy_test",
    "auc_test",
    "seconds",
    "status",
)
"""`epoch` is the current one, counted from 1, and `steps` the number taken; `sigma` is that of the
last step, on the sum of clipped gradients; `epsilon` is certified for the steps so far at `delta`,
nan where there is none; `seconds` is the run's share of the training time so far."""

LOSS_RECORDS = 4_096
"""Number of training records, evenly spread, for the training loss at an epoch's end."""

TELL_EVERY_SECONDS = 0.3
ONE_THREAD = 5_000_000
"""Up to this many products in a step of one run, a second thread saves no time."""

MAX_ENTRIES = 2**25
"""Most entries of the inputs of one step of all runs in a batch: 128 MiB."""


MIN_TIMED = 3
"""Steps that are timed at least."""

Measure = NDArray[np.float64]
"""One value a run."""


@dataclass(frozen=True)
class Timing:
    """How long a training takes."""

    steps: list[float]  # seconds of each timed step of one batch of runs
    measuring: float  # seconds to measure one record
    batches: int  # of runs, which take turns


@dataclass
class _SameStepsBatch:
    """Runs that are trained as one; `members` are (study, run) in the order of the run's axis."""

    members: list[tuple[int, int]]
    run: TrainingRun
    last: int
    seconds: float = 0.0


class Trainer:
    """Train studies of the same records side by side.

    Refuses a configuration that does not fit the records, and a budget below the first step's cost.
    """

    def __init__(
        self,
        studies: Sequence[TrainingStudy],
        data: TrainingData,
        device: torch.device,
        progress: Progress = silent,
    ) -> None:
        self.studies, self.device, self.data = tuple(studies), device, data
        self.records = len(data.inputs)
        # Once on the device for all runs.
        self._inputs = torch.as_tensor(data.inputs, dtype=torch.float32).to(device)
        self.configs = tuple(
            study.with_calibrated_sigma(
                self.records, lambda share, message: progress(share, "finding the noise")
            )
            for study in self.studies
        )
        self._last = [self._planned(*each) for each in zip(studies, self.configs, strict=True)]
        self._batches = [self._batch(members) for members in self._together()]
        epochs = max(self._epochs(batch, batch.last) for batch in self._batches)
        self._noted = checkpoints(epochs, MAX_ROWS)
        self._ledgers = [self._opened(place, progress) for place in range(len(self.studies))]
        self._rows: dict[tuple[int, int, int], tuple[Any, ...]] = {}
        usable = np.flatnonzero(known(data.targets))
        spaced = np.linspace(0, max(0, len(usable) - 1), min(len(usable), LOSS_RECORDS)).astype(int)
        self._loss_records = usable[np.unique(spaced)]
        tested = known(data.test_targets)
        self._tested = data.test_inputs[tested], data.test_targets[tested]

    def run(
        self,
        progress: Progress = silent,
        partial: Partial = lambda rows: None,
        cancelled: Callable[[], bool] = lambda: False,
    ) -> None:
        """Train to the end; resumes after a stop.

        Raises `Cancelled` between two steps, on request; the rows then end with the steps taken.
        """
        total = sum(batch.last * len(batch.members) for batch in self._batches)

        def is_stopped() -> bool:
            done = sum(batch.run.step * len(batch.members) for batch in self._batches)
            progress(
                done / total,
                f"epoch {at.run.step // at.run.steps_an_epoch + 1} of {self._noted[-1]}",
            )
            return cancelled()

        last_report = -math.inf
        try:
            for epoch in self._noted:
                for at in self._batches:
                    self._advance(at, min(at.last, epoch * at.run.steps_an_epoch), is_stopped)
                    if time.monotonic() - last_report >= TELL_EVERY_SECONDS:
                        partial(self.history())
                        last_report = time.monotonic()
        finally:
            partial(self.history())

    def _advance(self, batch: _SameStepsBatch, end: int, cancelled: Callable[[], bool]) -> None:
        if batch.run.step >= end:
            return
        with _threads(batch.run):
            begun, start = batch.run.step, time.perf_counter()
            try:
                batch.run.advance(end - begun, cancelled)
            finally:
                batch.seconds += time.perf_counter() - start
                if batch.run.step > begun:
                    self._note(batch)

    def history(self) -> pd.DataFrame:
        """One row a study, run and epoch so far, or fewer (`MAX_ROWS`); columns `COLUMNS`."""
        import pandas as pd

        # An interrupted epoch has a row of its own until a later one is measured.
        ends = {(place, run): epoch for place, run, epoch in sorted(self._rows)}
        rows = [
            self._rows[place, run, epoch]
            for place, run, epoch in sorted(self._rows)
            if epoch in self._noted or epoch == ends[place, run]
        ]
        return pd.DataFrame(rows, columns=list(COLUMNS))

    def steps_done(self, place: int) -> int:
        """Steps that the written models of a study have taken; if stopped, the furthest of them."""
        return max(batch.run.step for batch, _ in self._of(place)[: self.studies[place].models])

    def steps_planned(self, place: int) -> int:
        """Steps of the whole training: all, or as many as the budget allows."""
        return self._last[place]

    def spent(self, place: int, steps: int) -> Guarantee:
        """The ε spent by a study's training after that many steps."""
        return self._ledgers[place].at(steps)

    def released(self, place: int) -> Guarantee:
        """The ε spent by all written models of a study together: their steps composed."""
        models, steps = self.studies[place].models, self.steps_done(place)
        alone = self.spent(place, steps)
        if models == 1 or alone.epsilon is None:
            return alone
        config = self.configs[place]
        training = replace(
            config.training(self.records, min_noise_ratio=self.min_noise_ratio(place)), steps=steps
        )
        return together([training] * models, ACCOUNTANT)

    @property
    def all_blank(self) -> bool:
        """Whether every training record is blank; no noise and no step depends on it."""
        return not len(self._loss_records)

    def min_noise_ratio(self, place: int) -> float:
        """As in `TrainingConfig.training`."""
        return self._ledgers[place].min_noise_ratio

    def weights(self, place: int) -> dict[str, NDArray[np.float32]]:
        """Each parameter of the models that a study writes, as `torch.nn` shapes it, models first.

        They are the first runs, whatever the results of the others: a choice by accuracy would be
        one more look at the records.
        """
        parameters: dict[str, list[NDArray[np.float32]]] = {}
        for batch, at in self._of(place)[: self.studies[place].models]:
            for name, values in batch.run.weights().items():
                parameter = values.cpu()
                if batch.run.runs > 1:
                    parameter = parameter[at].flatten() if name.endswith("bias") else parameter[at]
                parameters.setdefault(name, []).append(parameter.float().numpy())
        return {name: np.stack(runs) for name, runs in parameters.items()}

    def state(self) -> dict[str, Any]:
        """Everything needed to go on from here in another process."""
        return {
            "batches": [(batch.run.state(), batch.seconds) for batch in self._batches],
            "rows": dict(self._rows),
        }

    def restore(self, state: dict[str, Any]) -> None:
        """Go on from a `state` of the same studies.

        Raises `ValueError` if it counts other steps than its rows, or states less ε than they
        spend.
        """
        rows = dict(state["rows"])
        for batch, (run_state, _) in zip(self._batches, state["batches"], strict=True):
            for member in batch.members:
                noted = [row for (place, run, _), row in rows.items() if (place, run) == member]
                self._check_spent(member[0], noted, int(run_state["step"]), batch.last)
        for batch, (run_state, seconds) in zip(self._batches, state["batches"], strict=True):
            batch.run.restore(run_state)
            batch.seconds = float(seconds)
        self._rows = rows

    def _check_spent(
        self, place: int, rows: Sequence[tuple[Any, ...]], step: int, last: int
    ) -> None:
        """Refuse rows of one run that state fewer steps, or less ε, than it has taken."""
        taken = [row[COLUMNS.index("steps")] for row in rows]
        if not max(taken, default=0) == step <= last:
            raise ValueError("steps")
        for row, steps in zip(rows, taken, strict=True):
            spent = self.spent(place, steps).epsilon
            if spent is not None and row[COLUMNS.index("epsilon")] < spent * (1.0 - 1e-9):
                raise ValueError("epsilon")

    def _together(self) -> list[list[tuple[int, int]]]:
        """The runs (study, run) of each batch."""
        batches: dict[object, list[list[tuple[int, int]]]] = {}
        for place, (study, config) in enumerate(zip(self.studies, self.configs, strict=True)):
            # Trainings without noise stay apart: their batches are then those of the noisy ones.
            noisy, alike_config = config.sigma > 0.0, replace(config, seed=0, sigma=0.0)
            alike: object = (alike_config, noisy, self._last[place], study.release)
            most = self._most(config)
            for run in range(study.runs):
                groups = batches.setdefault(alike, [[]])
                if len(groups[-1]) >= most:
                    groups.append([])
                groups[-1].append((place, run))
        return [group for groups in batches.values() for group in groups]

    def _most(self, config: TrainingConfig) -> int:
        if config.convolutional or config.noise != "isotropic":
            return 1
        a_step = config.size(self.records) if config.sampling == "none" else config.batch
        return max(1, MAX_ENTRIES // (a_step * self._inputs[0].numel()))

    def _batch(self, members: list[tuple[int, int]]) -> _SameStepsBatch:
        configs = [
            replace(self.configs[place], seed=self.configs[place].seed + run)
            for place, run in members
        ]
        data = self.data
        run = TrainingRun(
            configs,
            self._inputs,  # type: ignore[arg-type]
            data.targets,
            data.outputs,
            task=data.task,
            device=self.device,
            public=data.public,
            system=self.studies[members[0][0]].system_entropy,
        )
        return _SameStepsBatch(members, run, self._last[members[0][0]])

    def _planned(self, study: TrainingStudy, config: TrainingConfig) -> int:
        steps = config.steps(self.records)
        if study.budget is None:
            return steps
        training, accountant = config.training(self.records), ACCOUNTANT
        final_epsilon = spent(training, accountant).epsilon
        if final_epsilon is not None and final_epsilon <= study.budget:
            return steps
        plan = solve("steps", training, study.budget, accountant)
        if plan.value is None:
            raise InvalidInput(plan.sentence)
        return min(steps, int(plan.value))

    def _opened(self, place: int, progress: Progress) -> EpsilonLedger:
        config = self.configs[place]
        batch, _ = self._of(place)[0]
        # Every run has weights of its own; the certificate has to hold for all of them.
        min_noise_ratio = min(member.run.shape.min_noise_ratio for member, _ in self._of(place))
        status = assurance(config, self.records, min_noise_ratio=min_noise_ratio).status
        ledger = EpsilonLedger(config, self.records, min_noise_ratio, status)
        ends = {min(batch.last, epoch * batch.run.steps_an_epoch) for epoch in self._noted}
        ledger.fill(
            sorted(ends), lambda share: progress(share, "counting what each epoch will spend")
        )
        return ledger

    def _of(self, place: int) -> list[tuple[_SameStepsBatch, int]]:
        """The batches of a study's runs with their places in them, in the runs' order."""
        located = [
            (run, batch, at)
            for batch in self._batches
            for at, (study, run) in enumerate(batch.members)
            if study == place
        ]
        return [(batch, at) for _, batch, at in sorted(located, key=lambda entry: entry[0])]

    def _epochs(self, batch: _SameStepsBatch, steps: int) -> int:
        return -(-steps // batch.run.steps_an_epoch)

    def timed(self, seconds: float) -> Timing:
        """Time a few steps of the first batch after one to warm up, and one measurement."""
        at = self._batches[0]
        steps: list[float] = []
        with _threads(at.run):
            at.run.advance(1)
            while at.run.step < at.last and (len(steps) < MIN_TIMED or sum(steps) < seconds):
                start = time.perf_counter()
                at.run.advance(1)
                steps.append(time.perf_counter() - start)
        start = time.perf_counter()
        self._measured(at)
        measured = time.perf_counter() - start
        return Timing(
            steps, measured / (len(self._tested[1]) + len(self._loss_records)), len(self._batches)
        )

    def _measured(self, batch: _SameStepsBatch) -> tuple[Measure, Measure, Measure]:
        run, data = batch.run, self.data
        # Measures never end a training: that would depend on the records. Without any they are nan.
        accuracy = area = loss = np.full(run.runs, math.nan)
        test_inputs, test_targets = self._tested
        if len(test_targets):
            outputs = run.scores(test_inputs)
            accuracy = measures.accuracies(outputs, test_targets, data.task)
            area = measures.auc_of_outputs(outputs, test_targets, data.task)
        if len(self._loss_records):
            training_outputs = run.scores(data.inputs[self._loss_records])
            loss = measures.losses(training_outputs, data.targets[self._loss_records], data.task)
        return loss, accuracy, area

    def _note(self, batch: _SameStepsBatch) -> None:
        run = batch.run
        loss, accuracy, area = self._measured(batch)
        sigmas, epoch = run.sigmas(run.step - 1), self._epochs(batch, run.step)
        for at, (place, run_number) in enumerate(batch.members):
            study, ledger = self.studies[place], self._ledgers[place]
            certified = ledger.at(run.step)
            self._rows[place, run_number, epoch] = (
                place,
                study.dataset,
                study.features,
                ledger.config.network,
                ledger.config.noise,
                run_number,
                epoch,
                run.step,
                sigmas[at],
                math.nan if certified.epsilon is None else certified.epsilon,
                study.config.delta,
                ledger.config.adjacency,
                certified.by,
                float(loss[at]),
                float(accuracy[at]),
                float(area[at]),
                batch.seconds / len(batch.members),
                str(stands(ledger.status, system_entropy=study.system_entropy)),
            )


@contextmanager
def _threads(run: TrainingRun) -> Iterator[None]:
    """One thread for small networks, however many of them are side by side."""
    before = torch.get_num_threads()
    weights = sum(parameter.numel() for parameter in run.per_example.parameters) // run.runs
    if not run.config.convolutional and run.expected * weights <= ONE_THREAD:
        torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)
