"""Sensitivity of gradient descent's output to one record: printed and exact.

Source: paper 000, Lemmas 1 and 2 (quoted there from arXiv 1703.09947), and the exact values below.

Proof of the exact values. Let G_D(w) = w - η∇F(w; D). Then G_D(w) - G_D'(w') = [G_D(w) - G_D(w')]
+ [G_D(w') - G_D'(w')]. The second bracket is at most ηc/n, with c the largest change of the
gradient sum (2L replace-one, L zero-out), as the regulariser cancels. For the first, write F = h +
(μ/2)‖·‖² with h convex and (β-μ)-smooth; co-coercivity of ∇h gives ‖G_D(w) - G_D(w')‖ ≤
(1-ημ)‖w-w'‖ exactly when η(β+μ) ≤ 2. Projection onto a convex set does not expand. So Δ_{t+1} ≤
(1-ημ)Δ_t + ηc/n from Δ_0 = 0 (same public w₀, T and η). Equality is attained by Huber loss from w₀
= 0 where all margins stay on the linear part.

Every computed step has a rounding error (`dpcore.erm.rounding`) of at most e η for either data set,
so that c/n grows by 2e.
"""

from __future__ import annotations

import math

from dpcore.erm.problem import Problem
from dpcore.erm.rounding import of_descent
from dpcore.guarantee import Condition
from dpcore.words import plain


def published(problem: Problem, learning_rate: float, steps: int) -> float:
    """Δ as paper 000 prints it: 5L(μ+β)/(nμβ) (Lemma 1), or 3LTη/n when μ = 0 (Lemma 2).

    Both are valid, loose upper bounds under replace-one, and so under zero-out too.
    Units: those of w. `learning_rate` and `steps` enter Lemma 2 only.
    """
    n, lipschitz = problem.records, problem.lipschitz
    mu, beta = problem.strong_convexity, problem.smoothness
    if mu > 0.0:
        return 5.0 * lipschitz * (mu + beta) / (n * mu * beta)
    return 3.0 * lipschitz * steps * learning_rate / n


def exact(problem: Problem, learning_rate: float, steps: int) -> float:
    """The exact Δ_T after `steps` gradient steps, in the units of w, plus rounding.

    c/(nμ) · (1 - (1-ημ)^T) for μ > 0, cTη/n for μ = 0, with c = 2L (replace-one) or L (zero-out).
    Holds under `step_condition`; attained with equality but for rounding (module docstring).
    """
    n, mu = problem.records, problem.strong_convexity
    error = descent_error(problem, learning_rate, steps, learning_rate)
    change = problem.gradient_change + 2.0 * n * error
    if mu > 0.0:
        shrink = learning_rate * mu
        factor = 1.0 if shrink >= 1.0 else -math.expm1(steps * math.log1p(-shrink))
        return change / (n * mu) * factor
    return change * steps * learning_rate / n


def descent_error(problem: Problem, learning_rate: float, steps: int, least: float) -> float:
    """Rounding error of a mean gradient in a descent from w₀ = 0, besides that of the sum.

    `learning_rate` is that of the longest step, and `least` that of the shortest; no iterate is
    longer than all steps together, nor than 2L/λ.
    """
    longest = 4.0 * learning_rate * steps * problem.lipschitz
    if problem.strong_convexity > 0.0:
        longest = min(longest, 2.0 * problem.lipschitz / problem.strong_convexity)
    return of_descent(problem.dimension, problem.function.curvature, longest, least, problem.lam)


def step_condition(problem: Problem, learning_rate: float, *, printed: bool) -> Condition:
    """Whether the step size meets the lemma: η ≤ 1/(β+μ) as printed, 2/(β+μ) for the exact Δ."""
    top = (1.0 if printed else 2.0) / (problem.smoothness + problem.strong_convexity)
    sign = f"η ≤ {1 if printed else 2}/(β+μ)"
    return Condition(
        text=f"{sign} = {plain(top, 4)} (η = {plain(learning_rate, 4)})",
        met=learning_rate <= top,
        consequence=f"The sensitivity bound needs {sign}; this step is longer.",
    )
