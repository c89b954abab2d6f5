"""scikit-learn estimators over the private methods of `dpcore.erm`."""

from dpcore.estimators.classifiers import PrivateHuberSVC, PrivateLogisticRegression
from dpcore.estimators.promise import ModelGuarantee, Public
from dpcore.estimators.regression import PrivateLinearRegression

__all__ = [
    "ModelGuarantee",
    "PrivateHuberSVC",
    "PrivateLinearRegression",
    "PrivateLogisticRegression",
    "Public",
]
