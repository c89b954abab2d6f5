"""Draw the button that pays for what leaves, and order the steps of its attempt."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Literal, Protocol, TypeVar

import streamlit as st

from dpcore.controls.control import Control
from dpcore.controls.predict import FILE
from dpcore.controls.predict import MODEL as PREDICT_BY
from dpcore.controls.release import AS_TRAINED, CORRECTED, FEATURES, MODEL, NETWORK, RISKS
from dpcore.datasets.own import clipped
from dpcore.errors import InvalidInput
from dpcore.guarantee import large_delta
from dpcore.progress import Progress
from dpcore.release.certificate import Record
from dpcore.release.confined_release import MEASUREMENTS, Kind
from dpcore.release.ledger import Left, Receipt
from dpcore.release.payment import ACCOUNTANT, Price
from dpcore.release.release import Released
from dpcore.release.roles import AT_HAND, Actor, Role
from dpcore.words import as_set, at_least, at_most, plain
from pages.release.account import Attempt, Attempts, MeasurementOrder, PayingAccount, Work
from pages.release.table import ChosenTable
from pages.server import sign_in
from pages.shared import badges, frame, uploads
from pages.shared.display import draw_file, show_command
from pages.shared.session import set_controls, store, stored
from pages.shared.verbatim import refuse, verbatim
from pages.shared.work import present

PREDICT_BY_IT = "Predict with this model"
LESS = "Choose a smaller ε, or have the cap raised."
NO_LONGER = "Your role was taken away meanwhile, so nothing was paid."
CLIPPED = "Go on with values clipped"
MAY = "I may spend this"
UNSEALED = (
    "The files are whole, but the ledger does not have the certificate yet. Attach {hash} to entry "
    "{entry} by the ledger's command. {refusal}"
)
CANCELLED = "Cancelled: nothing was paid."
LOST = "It was paid, and then cut off: the payment stays, what it was for is lost."
DOUBTFUL = "It was cut off while it was paid: what is left says whether it was."
MORE = "Proof, ledger and check"
CHECK = "python -m dpcore certificate check ."
ONE_ROW = "One row of each person counts, chosen by lots: the noise is that of one row."
LABELS = {
    "model.json": "Model (JSON)",
    "model.onnx": "Model (ONNX)",
    "card.md": "Model card",
    "certificate.yaml": "Certificate (YAML)",
    "certificate.html": "Certificate (HTML)",
}


class Leaving(Protocol):
    @property
    def receipt(self) -> Receipt:
        """Of the payment."""

    def files(self) -> dict[str, bytes]:
        """Everything that leaves, by file name."""


Product = TypeVar("Product", bound=Leaving)


@dataclass(frozen=True)
class Press:
    """A press of the button by somebody who may spend: their sign-in and the attempts they saw."""

    count_when_drawn: int
    person: Actor
    claims: Mapping[str, object] = field(default_factory=dict)

    def may_still(self) -> bool:
        return sign_in.still(self.person, Role.ANALYST, self.claims)


def refused(price: Price[Any], control: Control, key: str) -> bool:
    """Say why a price cannot be paid, with a button for the largest ε that can be."""
    if price.refusal is None:
        return False
    refuse(f"{price.refusal} {LESS}")
    less = price.less()
    if less is not None:
        st.button(
            f"Use ε = {plain(less)}",
            key=key,
            icon=":material/build:",
            help=f"{price.basis}.",
            on_click=set_controls,
            args=({control.key: less},),
        )
    return True


def pressed(
    price: Price[Any],
    records: ChosenTable,
    account: PayingAccount,
    attempts: Attempts[Any],
    *,
    name: str,
    label: str,
    icon: str,
    caption: str,
    is_own: bool,
    is_ready: bool = True,
    type: Literal["primary", "secondary"] = "secondary",
) -> Press | None:
    """Draw the price, what must be known before it is paid, ticks and the button.

    Records that are not the demonstration's (`is_own`) take the tick and the role. Returns ``None``
    where it was not pressed, or not by somebody who may.
    """
    st.markdown(verbatim(price.words()))
    # For another price, or after another attempt, it is another tick and another button: none is
    # pressed for what its reader did not see.
    count_when_drawn = attempts.count
    seen = f"{account.place} {account.data_set} {count_when_drawn} {price} {records.clipping}"
    key = zlib.crc32(seen.encode())
    may = _goes_on(price, records, f"{name}_clipped_{key}")
    may &= (not is_own or st.checkbox(MAY, key=f"{name}_may_{key}")) and is_ready
    is_pressed = st.button(
        label,
        key=f"{name}_{key}",
        type=type if may else "secondary",
        icon=icon,
        disabled=not may,
    )
    st.caption(caption)
    if not is_pressed:
        return None
    person = sign_in.allowed(Role.ANALYST) if is_own else AT_HAND
    if isinstance(person, str):
        frame.refuse_visitor(person)
        return None
    return Press(count_when_drawn, person, sign_in.visitor())


def _goes_on(price: Price[Any], records: ChosenTable, key: str) -> bool:
    """Tell of a large δ and of what was clipped; whether the owner of the records goes on."""
    if large := large_delta(price.plan.budget.delta, records.count):
        st.warning(large, icon=":material/warning:")
    warnings = clipped.warnings(records.clipping)
    for each in warnings:
        st.warning(verbatim(each), icon=":material/content_cut:")
    if counts := clipped.counts(records.clipping):
        st.caption(verbatim(counts))
    return not warnings or st.checkbox(CLIPPED, key=key)


def begin(press: Press, attempts: Attempts[Product], work: Work[Product], begun: str) -> None:
    """Begin the attempt, store it under this name, and draw anew."""
    store(begun, attempts.begin(press.count_when_drawn, work, present()) or stored(begun))
    st.rerun()


def in_order(
    press: Press,
    *,
    prepare: Callable[[Progress, Callable[[], bool]], None],
    pay: Callable[[], None],
    make: Callable[[Progress], Product],
    seal: Callable[[Product], Product],
    hash_of: Callable[[Product], str],
) -> Work[Product]:
    """Return what an attempt does in a thread of its own: prepare, pay, make, seal.

    Whatever can be refused is refused by `prepare`; the hash by `hash_of` is attached to the
    payment.
    """

    def work(attempt: Attempt[Product]) -> None:
        prepare(attempt.report, lambda: not attempt.is_wanted)
        if not press.may_still():
            raise InvalidInput(NO_LONGER)
        attempt.commit()
        pay()
        attempt.paid()
        product = make(attempt.report)
        attempt.released, attempt.files = product, product.files()
        try:
            attempt.released = seal(product)
        except InvalidInput as refusal:
            attempt.refusal = UNSEALED.format(
                hash=hash_of(product), entry=product.receipt.entry, refusal=refusal
            )

    return work


def in_brief(attempt: Attempt[Released]) -> tuple[str, str]:
    """Return what is under way, and what was released, each "" for nothing; Markdown."""
    if attempt.is_under_way:
        return ("training, paid" if attempt.phase == "training" else "getting ready, unpaid"), ""
    if attempt.released is None:
        return "", ""
    return "", f"paid by entry {_entry(attempt.released)} of the ledger, files below"


def paid(document: Mapping[str, Any]) -> str:
    """Say what a certificate's release cost, in few words, with adjacency, δ and accountant."""
    budget, adjacency = document["facts"]["budget"], document["proof"]["adjacency"]
    return (
        f"ε = {plain(budget['epsilon'])} paid by entry {document['facts']['ledger']['entry']} "
        f"(δ = {as_set(budget['delta'])}, {adjacency}, {ACCOUNTANT})"
    )


def proved(document: Mapping[str, Any]) -> str:
    """What a certificate proves: ε with δ, adjacency and accountant, and μ."""
    proof = document["proof"]
    return (
        f"ε ≤ {at_most(proof['epsilon'])} at δ = {plain(proof['delta'])}, {proof['adjacency']}, "
        f"μ ≤ {at_most(proof['mu'])}, by {proof['accountant']}"
    )


def _entry(released: Released) -> int:
    entry: int = released.certificate.document["facts"]["ledger"]["entry"]
    return entry


def draw_outcome(attempt: Attempt[Released], account: PayingAccount) -> None:
    """Draw what came of an attempt that has ended."""
    if attempt.released is not None:
        _released(attempt.released, attempt)
        if attempt.refusal:
            refuse(attempt.refusal)
        return
    draw_without(attempt, account)


def draw_without(attempt: Attempt[Any], account: PayingAccount) -> None:
    """Draw why an attempt has ended with nothing."""
    if attempt.phase == "cancelled":
        st.info(CANCELLED, icon=":material/undo:")
        return
    sentences = [attempt.refusal]
    if attempt.phase in ("lost", "doubtful"):
        sentences = [LOST if attempt.phase == "lost" else DOUBTFUL, *sentences]
        sentences.append(account.ledger.left(account.data_set).words())
    refuse(" ".join(filter(None, sentences)))


def draw_files(files: dict[str, bytes], labels: Mapping[str, str]) -> None:
    """Draw a button for each file."""
    with st.container(horizontal=True):
        for name, content in files.items():
            draw_file(labels[name], partial(bytes, content), name, key=f"release {name}")


def _released(released: Released, attempt: Attempt[Released]) -> None:
    st.markdown(f"**{verbatim(_about(released))}**: {_model(released)}.")
    st.markdown(f"{_cost(released, attempt)} {verbatim(released.receipt.left.words())}")
    draw_files(attempt.files, LABELS)
    uploads.store_release(attempt.files)
    with st.container(horizontal=True, vertical_alignment="center"):
        badges.status("proved", name="Released")
        with st.popover(MORE, type="tertiary", icon=":material/verified_user:"):
            _proof(released)
        st.page_link(
            "predict/predict.py",
            label=PREDICT_BY_IT,
            icon=":material/person_search:",
            query_params={PREDICT_BY.key: str(PREDICT_BY.text(FILE))},
        )


def _about(released: Released) -> str:
    name: str = released.certificate.document["facts"]["about"]["name"]
    return name


def _model(released: Released) -> str:
    model = released.model
    chosen = NETWORK if model.hidden else model.loss
    parts = [f"{MODEL.text(chosen)}, numbers as {str(FEATURES.text(model.features)).lower()}"]
    if model.loss == "logistic":
        risks_choice = CORRECTED if model.risks is not None else AS_TRAINED
        parts.append(f"risks {str(RISKS.text(risks_choice)).lower()}")
    return ", ".join(parts)


def _cost(released: Released, attempt: Attempt[Released]) -> str:
    at = attempt.paid_at
    moment = "" if at is None else f" on {at:%Y-%m-%d} at {at:%H:%M} UTC"
    return f"{verbatim(paid(released.certificate.document))}{moment}."


def _proof(released: Released) -> None:
    document = released.certificate.document
    shown = at_least(document["facts"]["attack"]["lower_bound"])
    st.markdown(f"{proved(document)}; an attack shows ε ≥ {shown}.")
    st.caption(
        "The certificate's hash is an entry of its own in the ledger. Keep the hash of the last "
        "entry elsewhere, too, to notice if the ledger is changed: "
        f"`{released.receipt.chain_head}`."
    )
    show_command(CHECK)


def under_way(latest: Attempt[Product] | None, begun: str) -> Attempt[Product] | None:
    """What this visitor began under a name, or else the latest, while it is under way."""
    return next((each for each in (stored(begun), latest) if each and each.is_under_way), None)


def draw_measurement(
    kind: Kind,
    price_of: Callable[[Left], Price[Any]],
    control: Control,
    records: ChosenTable,
    account: PayingAccount,
    attempts: Attempts[Any],
    actor: str,
    *,
    label: str,
    icon: str,
    caption: str,
    begun: str,
    is_own: bool,
) -> None:
    """Draw the price and button of one measurement; a press begins it, stored as `begun`."""
    if Record.of(records.columns).rows is not None:
        st.caption(ONE_ROW)
    try:
        price = price_of(account.ledger.left(account.data_set))
        if refused(price, control, f"release_{kind}_less"):
            return
    except InvalidInput as refusal:
        refuse(refusal)
        return
    press = pressed(
        price,
        records,
        account,
        attempts,
        name=f"release_{kind}",
        label=label,
        icon=icon,
        caption=caption,
        is_own=is_own,
    )
    if press is not None:
        order = MeasurementOrder(kind, price.plan, actor, account)
        begin(press, attempts, measuring(records, order, press), begun)


def measuring(records: ChosenTable, order: MeasurementOrder, press: Press) -> Work[Any]:
    """What an attempt at a measurement does: prepare, pay, measure, seal."""
    return in_order(
        press,
        prepare=lambda progress, cancelled: records.prepare_measurement(order, progress, cancelled),
        pay=lambda: records.pay_measurement(order),
        make=lambda progress: records.measure(order.kind, progress),
        seal=lambda made: MEASUREMENTS[order.kind].seal(made, order.account.ledger),
        hash_of=lambda made: made.card.hash,
    )
