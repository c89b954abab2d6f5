"""The net benefits of decision_curves.csv, by dcurves, the package of decision curves' authors.

It pins pandas below 3 and so does not go with this repository's requirements. In an environment of
its own (dcurves 1.1.7 with pandas 2.3.3 made the file):

    python tests/reference/decision_curves.py > tests/reference/decision_curves.csv
"""

import sys

import numpy as np

THRESHOLDS = tuple(place / 100 for place in range(1, 100))
MODELS = ("good", "coarse", "clueless", "wrong")


def people(count=997):
    """Risks by four models, in whole percents, and who is ill; the same everywhere."""
    place = np.arange(count)
    true = place * 389 % 101
    ill = place * 577 % 103 < true
    blurred = np.clip(true + place * 211 % 41 - 20, 0, 100)
    risks = np.stack([blurred, true // 25 * 25, place * 83 % 101, 100 - blurred])
    return risks / 100, ill


def main():
    import pandas as pd
    from dcurves import dca

    risks, ill = people()
    data = pd.DataFrame({"ill": ill.astype(int), **dict(zip(MODELS, risks, strict=True))})
    result = dca(data=data, outcome="ill", modelnames=list(MODELS), thresholds=THRESHOLDS)
    result.to_csv(sys.stdout, columns=["model", "threshold", "net_benefit"], index=False)


if __name__ == "__main__":
    main()
