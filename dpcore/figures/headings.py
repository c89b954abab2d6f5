"""Headings of tables on screen: a column's name in words, with its unit."""

from __future__ import annotations

WORDS = {
    "accuracy": "accuracy (share)",
    "adjacency": "protected",
    "at": "value",
    "auc": "AUC",
    "average": "share of steps averaged",
    "balanced_accuracy": "balanced accuracy (share)",
    "baseline": "model without privacy",
    "batch": "batch size",
    "by": "proved by",
    "certified_epsilon": "certified ε",
    "clip": "clipping norm C",
    "cost": "what scales make least",
    "curve": "short name",
    "dataset": "data",
    "decay": "decay R",
    "decay_every": "when the noise decays",
    "delta": "δ",
    "elementwise": "one scale a weight",
    "epsilon": "ε",
    "false_per_1000": "false alarms of 1 000",
    "features": "inputs",
    "final_rate": "learning rate left at the end (share)",
    "gaussian_mu": "μ of the noise",
    "noise_advantage": "advantage by the noise",
    "log_odds": "log odds against the reference",
    "loss_train": "training loss",
    "mean_or_mode": "mean, or place of the most frequent level",
    "mean_risk": "risk told (mean)",
    "missed_per_1000": "missed of 1 000",
    "noise": "noise over weights",
    "noise_high": "by noise alone, high end",
    "noise_low": "by noise alone, low end",
    "noise_on_mean": "noise on the mean",
    "observed": "share with the condition",
    "optimizer": "optimizer",
    "order": "λ",
    "people": "test records",
    "per_layer": "each layer clipped by itself",
    "public": "records set aside",
    "r2": "R²",
    "rate": "sampling rate q",
    "reading": "reading of equation (11)",
    "refresh": "steps between new weights",
    "rmse": "RMSE (in the outcome's unit)",
    "risk": "risk, all else at its reference",
    "risk_at_average": "risk, all else at its average",
    "run": "repetition",
    "runs": "repetitions",
    "sampling": "how batches are drawn",
    "seconds": "time (s)",
    "sensitivity": "sensitivity Δ",
    "share": "paid share of the budget",
    "sigma": "noise σ",
    "study": "number of the study",
    "taken": "ε taken after it",
    "target_epsilon": "target ε",
    "training_epsilon": "ε of the training alone",
    "title": "name",
    "weights": "where weights come from",
    "widths": "hidden units",
}
ENDS = {
    "_low": ", low end",
    "_high": ", high end",
    "_test": ", test records",
    "_baseline": ", without privacy",
    "_bound_published": ", the paper's bound",
    "_bound_sound": ", corrected bound",
    "_linear": ", linear without privacy",
    "_noiseless": ", without its noise",
    "_noise_deviation": ", standard deviation of the noise",
    "_split_error": ", standard error by split",
}


def heading(column: str) -> str:
    """A column's name in words; one that is in words already stays."""
    if column in WORDS:
        return WORDS[column]
    for end, words in ENDS.items():
        if column.endswith(end):
            return heading(column.removesuffix(end)) + words
    return column.replace("_", " ")
