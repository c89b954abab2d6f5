"""What links to Explore from before it began by rule meant by what they left out."""

from __future__ import annotations

import pytest

from dpcore.controls import explore_links

BREAST = "Breast cancer (Wisconsin)"
LINES = {"feature_map": ("plain", "As they are")}


@pytest.mark.parametrize(
    ("link", "meant"),
    [
        ({"loss": ["Huber SVM"]}, {"data": ("breast_cancer", BREAST)}),
        ({"data": [BREAST]}, {}),
        ({"patients": ["10,000"]}, {}),
        (
            {"data": [BREAST], "view": ["Best method"]},
            {"may_cost": (2.0, "2.0"), "may_lose": (0.02, "0.02")},
        ),
        (
            {"data": [BREAST], "view": ["Best method"], "may_lose": ["0.05"]},
            {"may_cost": (2.0, "2.0")},
        ),
        ({"loss": ["Huber SVM"], "v": ["3"]}, {}),
    ],
)
def test_what_is_not_named_means_what_was_the_default_then(
    link: dict[str, list[str]], meant: dict[str, tuple[object, str]]
) -> None:
    assert explore_links.former_defaults(link) == meant | LINES
    named = {"feature_map": ["Lines or curves, by rule"]}
    assert explore_links.former_defaults(link | named) == meant
