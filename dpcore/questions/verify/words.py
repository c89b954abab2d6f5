"""Say how a trial stands."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from dpcore.audit import REPLAYED_AT
from dpcore.audit.bounds import Verdict
from dpcore.guarantee import Edition
from dpcore.words import at_least, at_most, plain, spaced

NO_PROMISE = "nothing to try"
SOUND = str(Edition.SOUND)


def sentence(row: dict[str, Any], title: str = "") -> str:
    """A trial in a sentence or two, with all that belongs to its bound."""
    who = title or row["method"]
    if row["verdict"] == NO_PROMISE:
        return f"{who}: {row['why']}"
    sure = f"at {plain(100.0 * row['confidence'])} %"
    share, of = row.get("noise_share", 1.0), "proved" if row.get("edition") == SOUND else "claimed"
    copy = "" if share == 1.0 else f" with {plain(100.0 * share)} % of its noise"
    at = f"δ = {plain(row['delta'])}, {row['adjacency']}"
    less = "" if share == 1.0 else " for all of it"
    promised = f"ε = {at_most(row[of])} is {of}{less} ({at})"
    drawn = f"{spaced(row['outputs'])} outputs on either side"
    if row["verdict"] == Verdict.REFUTED:
        least = "more than" if row["attacked"] <= row[of] else "at least"
        return (
            f"Refuted {sure}: {who}{copy} loses {least} "
            f"ε = {at_least(row['attacked'])}, but {promised}. It took {drawn}."
        )
    if row["verdict"] == Verdict.NOT_REFUTED:
        return (
            f"Not refuted: of {who}{copy} at least ε = {at_least(row['attacked'])} "
            f"is lost, and {promised}. That is {sure}, by {drawn}."
        )
    needed = spaced(int(row["needed"]))
    return f"Cannot be decided: {drawn} of {who}{copy} are few; about {needed} would be needed."


def verdicts(rows: Sequence[dict[str, Any]]) -> str:
    """How several trials stand together, in one sentence."""
    tried = [row for row in rows if row["verdict"] != NO_PROMISE]
    refuted = sum(row["verdict"] == Verdict.REFUTED for row in tried)
    best = max(tried, key=lambda row: row["ratio"])
    return (
        f"{refuted or 'None'} of {len(tried)} promises {'are' if refuted > 1 else 'is'} refuted. "
        f"The strongest attack shows {at_least(best['ratio'])} times the promised ε to be lost, "
        f"of {best['method']}."
    )


def replay_sentence(row: dict[str, Any]) -> str:
    """What replays show, in a sentence or two."""
    replay = f"Replay at ε = {plain(REPLAYED_AT)}"
    if row["alarms"]:
        return f"{replay}: {row['alarm']}"
    unseen = " Of some noise it is not seen where it goes." if row["unseen"] else ""
    if not row["replayed"]:
        return f"{replay}: nothing was compared.{unseen}"
    covered = f"all {spaced(int(row['replayed']))} noise calls cover what one record changes"
    return f"{replay}: {covered}.{unseen}"
