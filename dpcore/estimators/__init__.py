"""scikit-learn estimators over the private methods of `dpcore.erm`."""

from dpcore.estimators.linear import (
    PrivateHuberSVC,
    PrivateLinearRegression,
    PrivateLogisticRegression,
)
from dpcore.estimators.promise import ModelGuarantee, Public

__all__ = [
    "ModelGuarantee",
    "PrivateHuberSVC",
    "PrivateLinearRegression",
    "PrivateLogisticRegression",
    "Public",
]
