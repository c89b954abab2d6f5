"""InputPert: every contributor blurs their own record; the sound form of paper 002's idea."""

from __future__ import annotations

import math
from collections.abc import Sequence

from dpcore.erm import quadratic
from dpcore.erm.losses import LOSSES
from dpcore.erm.method import (
    Calibration,
    Method,
    Settings,
    Standing,
    data_conditions,
    gaussian_budgets,
)
from dpcore.erm.problem import Problem
from dpcore.erm.sufficient_statistics import Protocol, sensitivity
from dpcore.guarantee import Edition, Guarantee, Status


def calibrate(
    problem: Problem,
    epsilons: Sequence[float],
    delta: float,
    edition: Edition,
    settings: Settings,
) -> list[Calibration]:
    """One calibration per requested ε. Pure; sees public values only."""
    found = []
    for budget in gaussian_budgets(epsilons, delta):
        protocol = Protocol(problem.records, budget.epsilon, budget.delta, problem.adjacency)
        proof = Guarantee(
            budget.epsilon,
            budget.delta,
            problem.adjacency,
            "one Gaussian mechanism on the sums that contributors blur together; a single message "
            f"has ε = {protocol.local_epsilon:.3g}",
        )
        moved = sensitivity(protocol.weight, problem.adjacency)
        found.append(
            Calibration(
                method="inputpert",
                title="InputPert",
                edition=Edition.SOUND,
                problem=problem,
                requested=budget,
                query="the sum of x xᵀ, and of y x beside it",
                sensitivity=moved,
                sigma=protocol.sigma,
                steps=1,
                learning_rate=math.nan,
                batch=problem.records,
                sampling="all",
                model_noise=protocol.sigma,
                conditions=data_conditions(problem),
                claim=Guarantee(
                    None,
                    None,
                    problem.adjacency,
                    "paper 002",
                    "Its ε and δ are lost in the text at hand, and this is another mechanism.",
                ),
                proof=proof,
                certified=proof,
                status=Status.PROVED,
                gaussian_mu=math.nextafter(moved / protocol.sigma, math.inf),
            )
        )
    return found


METHOD = Method(
    key="inputpert",
    title="InputPert",
    paper="002 Fukuchi, Tran and Sakuma 2017, in a sound form",
    idea="Every person blurs their own record before handing it in; the sums teach a model.",
    editions={
        Edition.SOUND: Standing(
            claim="The paper's own theorem is not proved: its tail bound takes the minimiser for a "
            "constant, though it depends on the noise.",
            proof="(ε, δ) for the sums, by one Gaussian mechanism; whoever sees single messages is "
            "held to a far larger ε.",
            status=Status.PROVED,
        ),
    },
    calibrate=calibrate,
    release=quadratic.release,
    limits=(
        "The loss is replaced by a quadratic, which costs some accuracy without privacy, too.",
        "The promise is about the sums: a server that sees single messages learns more.",
    ),
    losses=LOSSES,
)
