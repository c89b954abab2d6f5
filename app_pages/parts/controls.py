"""The controls beside Explore: what to look at. Their values live in the address bar.

Every value is checked again by `dpcore` when a `Study` is made of it: limits in a browser can be
bypassed.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import streamlit as st

from app_pages.parts import explanations as words
from app_pages.parts import explore_presets, links, meaning, own_table, uploads
from app_pages.parts.fields import pick
from app_pages.parts.state import once, preset
from dpcore.datasets import OWN, Entry, Preparation, availability, catalogue, entry
from dpcore.erm import accurate
from dpcore.erm.losses import MARGIN_LOSSES, RESIDUAL_LOSSES
from dpcore.evaluation.study import Study, default_delta
from dpcore.figures.words import plain
from dpcore.guarantee import Adjacency

if TYPE_CHECKING:
    from streamlit.delta_generator import DeltaGenerator

    from app_pages.parts.uploads import File

# Six steps a decade where curves bend; one a decade below, where nothing changes any more.
EPSILONS = (
    *(float(f"1e{exponent}") for exponent in range(-9, -4)),
    *(
        float(f"{step}e{exponent}")
        for exponent in range(-4, 2)
        for step in ("1", "1.5", "2", "3", "5", "7")
    ),
    100.0,
)
DELTAS = tuple(float(f"1e{exponent}") for exponent in range(-12, -1))
LAMBDAS = (0.0, *(float(f"{s}e{e}") for e in range(-6, 0) for s in ("1", "3")), 1.0)
RADII = (0.3, 1.0, 3.0, 10.0, 30.0, 100.0)
RUNS = (10, 30, 100, 300)
COHORTS = (100, 300, 1_000, 3_000, 10_000, 30_000, 100_000, 300_000, 1_000_000)
# What paper 000 uses throughout.
PAPER_LAMBDA = 0.001
LAMBDA_WAYS = ("By rule", "Near zero", "0.001", "My own")
HUBER_WIDTHS = (0.1, 0.5, 1.0, 2.0, 4.0)
DELTA_WAYS = ("By rule", "My own")
MISSING = {"impute": "Fill gaps from public values", "drop": "Leave out records with gaps"}
SCALING = {"public": "By public bounds", "data": "By the data's own range (leaks)"}
INTERVAL = {"symmetric": "−1 to 1", "unit": "0 to 1"}
NORM = {"unit": "Every record to length 1", "clip": "Only shorten long records"}
FEATURES = {"plain": "As they are", "fourier": "Random Fourier (Gaussian kernel)"}
FOURIER_FEATURES = (16, 32, 64, 128, 256, 512, 1_024)
BANDWIDTHS = (0.1, 0.2, 0.3, 0.5, 0.7, 1.0, 2.0, 5.0)
MEASURES = {"accuracy": "Accuracy", "auc": "AUC"}
SWITCHED = ("true", "false", "True", "False")
DEFAULT_METHODS = {
    "class": ("outpert", "opera", "dpgd"),
    "number": ("opera", "inputpert", "objpert", "adassp"),
}
# Where a number is predicted, the control of the methods has a name of its own in the address.
METHODS_KEY = {"class": "methods", "number": "number_methods"}
MOST_STEPS = 1_000_000
MOST_MISSING = 1_000_000
PER_1000 = "Per 1,000"
TABS = (
    "Objective",
    "Noise σ",
    "Excess risk",
    PER_1000,
    "Best method",
    "Claim and proof",
    "Take along",
    "About the data",
)


@dataclass(frozen=True)
class Start:
    """What the first controls say: all that the risk to one person needs, besides ε.

    Parameters
    ----------
    dataset : str
        Key of the data set.
    size : int or None
        Size of the synthetic cohort.
    upload : object or None
        The uploaded file, where the data set needs one.
    columns : str
        What the columns of a table of one's own may hold; "" for other data sets.
    delta : float
        δ; by rule, that of all the records there are, until those to learn from are counted.
    delta_by_rule : bool
        Whether δ follows the rule.
    adjacency : str
        Which neighbours are compared.
    presets, model, share, rest : containers
        Places in the sidebar that are still to be filled; `share` is that of n·δ.
    """

    dataset: str
    size: int | None
    upload: File | None
    columns: str
    delta: float
    delta_by_rule: bool
    adjacency: str
    presets: DeltaGenerator
    model: DeltaGenerator
    share: DeltaGenerator
    rest: DeltaGenerator

    @property
    def found(self) -> Entry:
        """What is known of the data set without its records."""
        return _found(self.dataset, self.columns)

    @property
    def missing(self) -> str:
        """What has to be done first: "download", "upload", or "" where the records are here."""
        where = _where(self.dataset)
        if where == "upload":
            described = self.dataset != OWN or not own_table.complaint(self.columns)
            return "" if described and self.upload is not None else where
        return where if where == "download" else ""

    @property
    def records(self) -> int | None:
        """How many records there are, as far as it is known before they are read."""
        if self.missing or self.upload is not None:
            return None
        return self.size or self.found.records


@dataclass(frozen=True)
class Choice:
    """What all controls say, besides ε.

    Parameters
    ----------
    study : Study
        Everything but the upload; its ε are the whole grid.
    closed, trained : tuple of str
        The private methods chosen: those whose curves need no training, and those that do.
    upload : object or None
        The uploaded file, where the data set needs one.
    measure : str
        What models are compared by, if the records allow it: a column of the curves.
    """

    study: Study
    closed: tuple[str, ...]
    trained: tuple[str, ...]
    upload: File | None
    measure: str


def private_methods(predicts: str) -> dict[str, str]:
    """Key to title of every method that adds noise and can learn this, in display order."""
    from dpcore.methods import register

    losses = {"class": MARGIN_LOSSES, "number": RESIDUAL_LOSSES}[predicts]
    return {
        key: method.title
        for key, method in register().items()
        if key != "nonprivate" and set(losses) & set(method.losses)
    }


def kind_of(found: Entry) -> str:
    """Whose models and methods are offered: "class", also for several of them, or "number"."""
    return "number" if found.predicts == "number" else "class"


def tabs_for(found: Entry) -> tuple[str, ...]:
    """The tabs of the detail; missed and false cases there are only where two classes are told."""
    classes = found.predicts == "class"
    return tuple(tab for tab in TABS if classes or tab != PER_1000)


def dataset_titles() -> dict[str, str]:
    """Key to title of every data set, and of a table of one's own."""
    return {found.key: found.title for found in (*catalogue(), own_table.ENTRY)}


def _found(dataset: str, columns: str) -> Entry:
    return own_table.found(columns) if dataset == OWN else entry(dataset)


def _where(dataset: str) -> str:
    return "upload" if dataset == OWN else availability(dataset)


def link_complaint() -> str:
    """What the link asked for in vain: found once a session, and shown until it ends."""
    links.renewed(
        "explore",
        "adjacency",
        words.ADJACENCY_TITLES,
        lambda _: Adjacency.REPLACE_ONE,
        _meant_before,
    )
    return once("link_complaint", _follow)


def _meant_before(link: links.Link) -> dict[str, tuple[str, str]]:
    """Records with gaps were left out unless a link said otherwise."""
    gaps = any(column.missing_mark for column in _asked_for(link).used)
    return {"missing": ("drop", MISSING["drop"])} if gaps and "missing" not in link else {}


def _asked_for(link: links.Link) -> Entry:
    """What is known of the data set that a link names, or of the first one."""
    keys = {title: key for key, title in dataset_titles().items()}
    dataset = keys.get(link.get("data", [""])[-1], "breast_cancer")
    return _found(dataset, link.get(own_table.COLUMNS, [""])[-1])


def _follow() -> str:
    """Take out of the address what cannot be followed; one message about it."""
    link = links.asked()
    if not link:
        return ""
    refused = _refused(link)
    links.drop(link, refused)
    wrong = {one.name for one in refused}
    # A link that names a δ or a λ means it, also one from before there was a choice.
    for value, way, own in (
        ("delta", "delta_way", DELTA_WAYS[1]),
        ("lambda_value", "lambda", LAMBDA_WAYS[-1]),
    ):
        if value in link and value not in wrong and way not in set(link) - wrong:
            preset(way, own)
            st.query_params[way] = own
    return links.told(refused)


def _refused(link: dict[str, list[str]]) -> list[links.Refusal]:
    data, methods = dataset_titles(), {kind: private_methods(kind) for kind in METHODS_KEY}
    found = _asked_for(link)
    kind = kind_of(found)
    usual = [methods[kind][key] for key in DEFAULT_METHODS[kind]]
    wanted = link.get(METHODS_KEY[kind], usual)
    asked = [title for title in wanted if title in methods[kind].values()]
    classes = {loss: words.LOSS_TITLES[loss] for loss in MARGIN_LOSSES}

    def named(titles: dict[str, str]) -> list[str]:
        return list(titles.values())

    def shown(numbers: tuple[float, ...]) -> list[str]:
        return [plain(number) for number in numbers]

    allowed = {
        "data": ("the data set", named(data), data["breast_cancer"]),
        "loss": ("the model", named(classes), "logistic regression"),
        **{
            key: (
                "the method",
                named(methods[each]),
                "the others that are named, or the usual ones",
            )
            for each, key in METHODS_KEY.items()
        },
        "edition": ("the edition", named(words.EDITION_TITLES), "the sound one"),
        "compared_by": ("the measure", named(MEASURES), MEASURES["accuracy"].lower()),
        "epsilon": ("ε =", shown(EPSILONS), "ε = 1"),
        "delta_way": ("δ", DELTA_WAYS, "δ by rule"),
        "delta": ("δ =", shown(DELTAS), "δ by rule"),
        "huber_width": ("h =", shown(HUBER_WIDTHS), "h = 0.5"),
        "lambda": ("λ", LAMBDA_WAYS, "λ by rule"),
        "lambda_value": ("λ =", shown(LAMBDAS), "λ = 0.01"),
        "radius": ("R =", shown(RADII), "R = 10"),
        "runs": ("a number of runs of", shown(RUNS), "30 runs"),
        "patients": ("a cohort of", [f"{n:,}" for n in COHORTS], "3,000 patients"),
        "adjacency": (
            "the neighbour",
            named(words.ADJACENCY_TITLES),
            "one record blanked out",
        ),
        "missing": ("for gaps", named(MISSING), MISSING["impute"].lower()),
        "scaling": ("the scaling", named(SCALING), SCALING["public"].lower()),
        "interval": ("the interval", named(INTERVAL), INTERVAL["symmetric"]),
        "norm": ("the length", named(NORM), NORM["unit"].lower()),
        "feature_map": ("the features", named(FEATURES), FEATURES["plain"].lower()),
        "fourier_features": (
            "a number of features of",
            [f"{many:,}" for many in FOURIER_FEATURES],
            f"{Preparation.fourier_features} features",
        ),
        "bandwidth": (
            "a bandwidth of",
            shown(BANDWIDTHS),
            f"bandwidth {plain(Preparation.bandwidth)}",
        ),
        "intercept": ("an intercept", SWITCHED, "none"),
        "full_length": ("the paper's length", SWITCHED, "the usual one"),
        "view": ("the tab", tabs_for(found), TABS[0]),
        "focus": ("numbers for", asked, "a method that is chosen"),
        **meaning.ALLOWED,
    }
    numbers = [
        ("steps", "a number of steps T of", 1, MOST_STEPS),
        ("may_cost", "a cost in points of", 0, 50),
        ("may_lose", "a cost in AUC of", 0, 0.5),
        ("may_raise", "an error raised in percent by", 0, 500),
        ("may_miss", "a number of contributors who stay away of", 0, MOST_MISSING),
        *meaning.NUMBERS,
    ]
    return (
        links.unknown(link, allowed, clearable=tuple(METHODS_KEY.values()))
        + links.outside(link, numbers)
        + links.strangers(link, {*allowed, *(name for name, *_ in numbers), own_table.COLUMNS})
    )


def _switch(label: str, titles: dict[str, str], key: str, help_text: str) -> str:
    """A row of two or three options that answers with the key behind the title."""
    chosen: str | None = st.segmented_control(
        label,
        list(titles),
        format_func=titles.__getitem__,
        default=next(iter(titles)),
        key=key,
        help=help_text,
        required=True,
        bind="query-params",
        width="stretch",
    )
    return chosen or next(iter(titles))


def _loss(kind: str) -> str:
    """The loss; no choice where a number is predicted."""
    if kind == "number":
        st.markdown(f"**Model:** {words.LOSS_TITLES['squared'].lower()}", help=words.SQUARED)
        return "squared"
    return pick("Model", {key: words.LOSS_TITLES[key] for key in MARGIN_LOSSES}, "loss", words.LOSS)


def _methods(kind: str, loss: str) -> list[str]:
    """Keys of the methods chosen, in display order; those that can't learn this are named."""
    from dpcore.methods import method_named

    titles = private_methods(kind)
    chosen = st.pills(
        "Methods",
        list(titles),
        format_func=titles.__getitem__,
        selection_mode="multi",
        default=list(DEFAULT_METHODS[kind]),
        key=METHODS_KEY[kind],
        help=words.METHODS,
        bind="query-params",
    )
    _explained(titles, loss)
    refused = {key: method_named(key).refusal(loss) for key in titles if key in chosen}
    for sentence in filter(None, refused.values()):
        st.caption(f":material/info: {sentence}")
    return [key for key, sentence in refused.items() if not sentence]


def _explained(titles: dict[str, str], loss: str) -> None:
    """What each method does, where it falls short and comes from; and why others are not here."""
    from dpcore.methods import method_named, register

    with st.popover("What the methods do", icon=":material/menu_book:", width="stretch"):
        for key, title in titles.items():
            method = method_named(key)
            how = words.AT_ONCE if method.closed_form else words.IN_BACKGROUND
            st.markdown(f"**{title}.** {method.idea} {how}")
            st.caption(" ".join((*method.limits, f"Source: {method.paper}.")))
            st.page_link(
                "app_pages/atlas.py",
                label=f"{title} in the Atlas",
                icon=":material/map:",
                query_params={"search": title, links.VERSION: links.THIS},
            )
        for key, method in register().items():
            if key not in titles and method.refusal(loss):
                st.caption(f":material/info: {method.refusal(loss)}")


def _lambda() -> tuple[float | None, float | None]:
    """(λ or None for the rule, R or None)."""
    way = st.segmented_control(
        "Regularisation λ",
        LAMBDA_WAYS,
        default=LAMBDA_WAYS[0],
        key="lambda",
        required=True,
        help=words.LAMBDA,
        bind="query-params",
        width="stretch",
    )
    if way == LAMBDA_WAYS[1]:
        return accurate.LAM, None
    if way == LAMBDA_WAYS[2]:
        return PAPER_LAMBDA, None
    if way != LAMBDA_WAYS[-1]:
        return None, None
    lam = st.select_slider(
        "λ",
        LAMBDAS,
        value=0.01,
        format_func=plain,
        key="lambda_value",
        bind="query-params",
        help="λ = 0 is the merely convex case: no regularisation, weights kept in a ball.",
    )
    if lam > 0.0:
        return lam, None
    radius = st.select_slider(
        "Radius R of the ball",
        RADII,
        value=10.0,
        format_func=plain,
        key="radius",
        help=words.RADIUS,
        bind="query-params",
    )
    return lam, radius


def _huber_width() -> float:
    width: float = st.select_slider(
        "Width h of its corner",
        HUBER_WIDTHS,
        value=0.5,
        format_func=plain,
        key="huber_width",
        help=words.HUBER_WIDTH,
        bind="query-params",
    )
    return width


def _preparation() -> Preparation:
    with st.expander("Preparation", icon=":material/tune:"):
        st.caption(words.PREPARATION)
        missing = pick("Gaps in the data", MISSING, "missing", words.GAPS)
        scaling = pick(
            "Scale numbers",
            SCALING,
            "scaling",
            "The data's own smallest and largest value are two patients' values: using them leaks.",
        )
        interval = _switch("to the interval", INTERVAL, "interval", "")
        norm = pick("Length of a record", NORM, "norm", "The proofs need every length at most 1.")
        intercept = st.toggle(
            "Add an intercept",
            key="intercept",
            bind="query-params",
            help="A constant feature; it counts in the length of the record, so nothing leaks.",
        )
        if scaling == "data":
            st.badge("leaks", icon=":material/warning:", color="red")
        # Train has a control called “features”; two pages must not share a name in the address.
        features = pick("Features", FEATURES, "feature_map", words.FEATURES)
        many, bandwidth = Preparation.fourier_features, Preparation.bandwidth
        if features == "fourier":
            many = st.select_slider(
                "Number of features",
                FOURIER_FEATURES,
                value=many,
                format_func="{:,}".format,
                key="fourier_features",
                help="More come closer to the kernel, and noise falls on each of them.",
                bind="query-params",
            )
            bandwidth = st.select_slider(
                "Bandwidth",
                BANDWIDTHS,
                value=bandwidth,
                format_func=plain,
                key="bandwidth",
                help="How far apart two records may be and still count as alike; their length is "
                "1 at most.",
                bind="query-params",
            )
    return Preparation(
        missing=missing,
        scaling=scaling,
        interval=interval,
        norm=norm,
        intercept=intercept,
        features=features,
        fourier_features=many,
        bandwidth=bandwidth,
    )


def _delta(records: int) -> tuple[float, bool]:
    """(δ, whether it follows the rule for that many records)."""
    way = st.segmented_control(
        "Failure probability δ",
        DELTA_WAYS,
        default=DELTA_WAYS[0],
        key="delta_way",
        required=True,
        help=f"{words.DELTA} {words.DELTA_RULE}",
        bind="query-params",
        width="stretch",
    )
    if way != DELTA_WAYS[1]:
        return default_delta(records), True
    delta: float = st.select_slider(
        "δ", DELTAS, value=1e-5, format_func=plain, key="delta", bind="query-params"
    )
    return delta, False


def tell_delta(first: Start, delta: float, records: int) -> str:
    """Write δ and n·δ under its control; the warning for the page where δ is too large, or ""."""
    warning = ""
    if records * delta >= 1.0:
        warning = (
            f"δ = {plain(delta)} is at least 1/n: a method may publish one of the {records:,} "
            "records at random and still keep this promise. Choose a smaller δ."
        )
    first.share.caption(
        f"δ = {plain(delta)}; n·δ ≈ {plain(records * delta)} for {records:,} records"
    )
    return warning


def start() -> Start:
    """Draw the first controls: data, δ and adjacency. They need no library that is slow to load."""
    explore_presets.pending()
    with st.sidebar:
        presets = st.container()
        data = pick("Data", dataset_titles(), "data", words.DATA)
        size, upload, columns = None, None, ""
        if data == "cohort":
            size = st.select_slider(
                "Patients",
                COHORTS,
                value=3_000,
                format_func="{:,}".format,
                key="patients",
                help=words.COHORT,
                bind="query-params",
            )
        if data == OWN:
            upload, columns = own_table.controls()
        elif availability(data) == "upload":
            found = entry(data)
            upload = uploads.field(
                f"File of {found.title}", f"upload_{data}", help=found.how_to_get
            )
            st.caption(words.UPLOAD_IS_DROPPED)
        model = st.container()
        # How many records a file has is known when it is read.
        total = size or max(1, _found(data, columns).records)
        delta, by_rule = _delta(total)
        share = st.empty()
        adjacency = pick(
            "One person's difference", words.ADJACENCY_TITLES, "adjacency", words.ADJACENCY
        )
        rest = st.container()
    # n·δ comes when it is known how many records are left to train on.
    share.caption(f"δ = {plain(delta)}")
    return Start(
        data, size, upload, columns, delta, by_rule, adjacency, presets, model, share, rest
    )


def rest(first: Start) -> Choice:
    """Draw the other controls and answer with what they all say.

    Raises
    ------
    InvalidInput
        If a value that reached the server is not allowed.
    """
    from dpcore.erm.gradient_perturbation import FULL_LENGTH_RECORDS
    from dpcore.methods import method_named

    with first.model:
        kind = kind_of(first.found)
        loss = _loss(kind)
        width = _huber_width() if loss == "huber" else 0.5
        chosen = _methods(kind, loss)
        edition = _switch("Edition", words.EDITION_TITLES, "edition", words.EDITION)
        measure = "accuracy"
        if first.found.predicts == "class":
            # Train's control of the same words goes by another name: pages share the address.
            measure = _switch("Compared by", MEASURES, "compared_by", words.COMPARED_BY)
    with first.rest:
        lam, radius = _lambda()
        runs = st.select_slider(
            "Runs",
            RUNS,
            value=30,
            format_func=plain,
            key="runs",
            help=words.RUNS,
            bind="query-params",
        )
        preparation = _preparation()
        with st.expander("Training", icon=":material/model_training:"):
            steps = st.number_input(
                "Steps T",
                min_value=1,
                max_value=MOST_STEPS,
                value=None,
                step=1,
                key="steps",
                placeholder="by each method's rule",
                help=words.STEPS,
                bind="query-params",
            )
            missing = 0
            if edition == "sound" and any(method_named(key).trust for key in chosen):
                missing = st.number_input(
                    "Contributors who may stay away",
                    min_value=0,
                    max_value=MOST_MISSING,
                    value=0,
                    step=1,
                    key="may_miss",
                    help=words.MAY_MISS,
                    bind="query-params",
                )
            few = 0 < (first.size or first.found.records) <= FULL_LENGTH_RECORDS
            full_length = (
                edition == "published"
                and few
                and st.toggle(
                    "GRPUA and SgdPert: the paper's length",
                    key="full_length",
                    help=words.FULL_LENGTH,
                    bind="query-params",
                )
            )
    with first.presets:
        explore_presets.start_from()
    methods = tuple(chosen)
    study = Study(
        dataset=first.dataset,
        records=first.size,
        loss=loss,
        huber_width=width,
        lam=lam,
        methods=("nonprivate", *methods),
        edition=edition,
        epsilons=EPSILONS,
        delta=None if first.delta_by_rule else first.delta,
        adjacency=first.adjacency,
        runs=runs,
        steps=steps,
        full_length=full_length,
        radius=radius,
        missing_contributors=missing,
        preparation=preparation,
        columns=first.columns,
    )
    closed = tuple(key for key in methods if method_named(key).closed_form)
    trained = tuple(key for key in methods if key not in closed)
    return Choice(study, closed, trained, first.upload, measure)
