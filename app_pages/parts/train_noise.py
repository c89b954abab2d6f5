"""More about uneven noise: where its weights come from, what it serves, how paper 004 is read."""

from __future__ import annotations

from typing import Any

import streamlit as st

from app_pages.parts import train_words as words
from app_pages.parts.fields import pick
from app_pages.parts.train_fields import number, switch, whole

ASIDE = "Records set aside as public"
SCALED_BY = {
    "released": "Noisy gradients already released",
    "paid": "A paid slice of the budget",
    "public": ASIDE,
}
WEIGHED_BY = {"private": "All private records (as printed)", "public": ASIDE}
COSTS = {
    "adaclip": "Least noise power",
    "gradient": "Least noise along the gradient",
    "curvature": "Least loss by curvature",
}
EACH = {"layer": "A layer", "weight": "A weight"}
READINGS = {"equal-shares": "Equal shares", "exact": "Solved exactly"}
NOISE_ON = {"sum": "The sum", "mean": "The mean"}

CHOICES = {
    "scaled_by": ("weights from", SCALED_BY),
    "weighed_by": ("weights from", WEIGHED_BY),
    "scale_for": ("scales for", COSTS),
    "scale_each": ("a scale for", EACH),
    "reading": ("the reading", READINGS),
    "noise_on": ("noise on", NOISE_ON),
}
SHARES, MOST_AFRESH, MOST_ASIDE, ORDERS = (1e-3, 0.9), 1_000_000, 1_000_000, (1e-3, 1e9)
NUMBERS = (
    ("paid_share", "a paid share of", *SHARES),
    ("afresh", "a number of steps of", 0, MOST_AFRESH),
    ("set_aside", "a number of public records of", 1, MOST_ASIDE),
    ("lambda_order", "a λ of", *ORDERS),
)


def more(noise: str) -> tuple[dict[str, Any], int]:
    """The controls that apply to this noise.

    Returns
    -------
    dict, int
        Fields of a `Recipe`, and how many training records are set aside as public.
    """
    if noise == "isotropic":
        return {}, 0
    with st.expander("More about the noise", icon=":material/tune:"):
        return _scaled() if noise == "scaled" else _published()


def _scaled() -> tuple[dict[str, Any], int]:
    source = pick("Weights from", SCALED_BY, "scaled_by", words.WEIGHTS)
    public = source == "public"
    # Without examples nothing is known of the curvature, or of single weights.
    costs = COSTS if public else {key: COSTS[key] for key in ("adaclip", "gradient")}
    fields: dict[str, Any] = {
        "weights": source,
        "cost": pick("Scales chosen for", costs, "scale_for", words.COST),
    }
    if source == "paid":
        fields["share"] = number(
            "Share of each step's budget", SHARES, "paid_share", words.SHARE, step=0.01
        )
    if not public:
        return fields, 0
    fields["elementwise"] = switch("One scale for", EACH, "scale_each", words.EACH) == "weight"
    return fields | {"refresh": _afresh()}, _aside()


def _published() -> tuple[dict[str, Any], int]:
    reading = switch("Equation (11)", READINGS, "reading", words.READING)
    fields: dict[str, Any] = {
        "reading": reading,
        "order": _order(),
        "noise_on_mean": switch("Noise on", NOISE_ON, "noise_on", words.NOISE_ON) == "mean",
    }
    if reading == "exact":
        return fields, 0
    source = pick("Weights from", WEIGHED_BY, "weighed_by", words.WEIGHED)
    fields |= {"weights": source, "refresh": _afresh()}
    return fields, _aside() if source == "public" else 0


def _order() -> float | None:
    order: float | None = st.number_input(
        "λ",
        *ORDERS,
        None,
        format="%.6g",
        key="lambda_order",
        placeholder="∞",
        bind="query-params",
        help=words.ORDER,
    )
    return order


def _afresh() -> int:
    return whole("Weights anew every … steps", 0, MOST_AFRESH, "afresh", words.AFRESH)


def _aside() -> int:
    return whole("Training records set aside", 1, MOST_ASIDE, "set_aside", words.ASIDE)
