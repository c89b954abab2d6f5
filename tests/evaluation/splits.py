"""Small splits with rows of every kind, made here: no data set is read."""

import numpy as np

from dpcore.datasets import Preparation, Split, entry


def made_split(records=400, dimension=5, tests=150, seed=3, norms="unit"):
    """Labels from a known linear model with noise; rows of norm 1, mixed norms, or some null."""
    generator = np.random.default_rng(seed)
    x = generator.standard_normal((records + tests, dimension))
    x /= np.linalg.norm(x, axis=1, keepdims=True) * (1.0 + 1e-7)
    truth = generator.standard_normal(dimension)
    y = np.where(x @ truth + 0.3 * generator.standard_normal(len(x)) > 0, 1.0, -1.0)
    if norms != "unit":
        x *= generator.uniform(0.1, 1.0, (len(x), 1))
    if norms == "null":
        x[::7] = 0.0
    return Split(
        entry=entry("cohort"),
        preparation=Preparation(),
        x_train=x[:records],
        y_train=y[:records],
        x_test=x[records:],
        y_test=y[records:],
        feature_names=tuple(f"feature {i}" for i in range(dimension)),
    )
