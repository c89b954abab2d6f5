"""The controls of Train and of `train`, one private training, and presets of them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dpcore.accounting.events import USUAL_BATCH, usual_batch
from dpcore.controls import common
from dpcore.controls.control import Control, Number, OneOf, Page, Stops, Switch, Values, where
from dpcore.controls.network_figures import EFFECT_TAB, FIGURES, FIRST_TAB
from dpcore.evaluation.training.study import TrainingStudy
from dpcore.evaluation.training.variants import STUDIES
from dpcore.guarantee import Adjacency

FEATURES = {
    "raw": "As they are",
    "deskewed": "Set upright",
    "scattering": "Scattering",
    "whitened": "Scattering, whitened",
}
METRICS = {"accuracy_test": "Accuracy", "auc_test": "AUC"}
ASIDE = "Records set aside as public"
TABS = (
    FIRST_TAB,
    "Shapes of noise",
    EFFECT_TAB,
    "Why accuracy fell",
    "Compare runs",
    "Numbers",
    "Take along",
)
MAX_COUNT = 1_000_000
MAX_SEED = 2**32 - 1


def datasets() -> dict[str, str]:
    """Data sets for networks by key, the built-in ones first."""
    from dpcore.datasets import images

    keys = images.keys()
    return {key: images.entry(key).title for key in keys}


def _decays(values: Values) -> bool:
    # Paper 004 has only constant noise.
    return values.get("shape") != "published-004" and values.get("schedule") == "decaying"


_public_scales = where(shape="scaled", scaled_by="public")
_equal_shares = where(shape="published-004", reading="equal-shares")
_public_shares = where(shape="published-004", reading="equal-shares", weighed_by="public")


def _afresh(values: Values) -> bool:
    return _public_scales(values) or _equal_shares(values)


def _set_aside(values: Values) -> bool:
    return _public_scales(values) or _public_shares(values)


CONTROLS = Page(
    Control(
        "dataset",
        "Data",
        OneOf(datasets),
        default="digits",
        noun="the data set",
        field="dataset",
        brief=f"a set for networks, or any table (default: {TrainingStudy.dataset})",
        help="Which records the network learns from. The digits and the synthetic sets are built "
        "in.",
        state="data",
    ),
    Control(
        "measure",
        "Measured by",
        OneOf(METRICS, row=True),
        noun="the measure",
        help="**Accuracy**: share of test records that are right. **AUC**: how often a record that "
        "has the condition is ranked above one that has not. Unlike accuracy it does not depend on "
        "how many have it.",
    ),
    Control(
        "features",
        "Inputs",
        OneOf(FEATURES),
        field="features",
        brief=f"raw, deskewed, scattering or whitened (default: {TrainingStudy.features})",
        help="**As they are**, or **set upright**: each image moved to its middle and sheared "
        "until it does not lean. **Scattering**: fixed wavelet filters; a linear network on top "
        "of them is hard to beat at small ε. All look at each image by itself, so they cost no "
        "privacy. **Whitened** (MNIST): scattering, pressed together where public digits of other "
        "people vary most. Clipping then cuts off less.",
    ),
    Control(
        "network",
        "Network",
        OneOf(
            {
                "linear": "Linear",
                "perceptron": "Perceptron",
                "cnn": "CNN",
                "cnn-lean": "Lean CNN",
            },
            row=True,
        ),
        default="perceptron",
        field="config.network",
        brief="linear, perceptron, cnn or cnn-lean",
        help="**Linear**: one layer. **Perceptron**: fully connected hidden layers. "
        "**Convolutional**: the small network for images of at least 28 × 28 pixels that papers "
        "003 and 004 use. **Lean CNN**: the same without its hidden layer, because half as many "
        "weights catch less noise.",
    ),
    Control(
        "layers",
        "Hidden layers",
        Number(1, 5, whole=True),
        default=1,
        noun="a number of hidden layers of",
        help="Hidden layers of the perceptron. Paper 000 uses two of 100 units.",
        shown=where(network="perceptron"),
    ),
    Control(
        "units",
        "Units in each",
        Number(1, 2_000, whole=True),
        default=64,
        noun="a number of units of",
        help="Units in each hidden layer.",
        shown=where(network="perceptron"),
    ),
    Control(
        "target_epsilon",
        "Privacy loss ε",
        Number(0.01, 1000.0, step=0.5),
        default=3.0,
        noun="an ε of",
        field="epsilon",
        brief="target of the whole training (default: 3)",
        help="**Privacy loss ε** that the whole training may spend. The noise is set to the least "
        "that keeps within it.",
        state="epsilon",
    ),
    Control(
        "train_delta",
        "Failure probability δ",
        Stops(common.DELTAS),
        default=1e-5,
        noun="δ =",
        field="config.delta",
        brief="δ",
        help=common.DELTA,
        state="delta",
    ),
    Control(
        "passes",
        "Epochs",
        Number(1, 1_000, whole=True),
        default=30,
        noun="a number of epochs of",
        field="config.epochs",
        brief="n/batch steps each",
        help="How often training goes through all the records. More epochs need more noise in "
        "each.",
    ),
    Control(
        "lot",
        "Batch size",
        Number(1, 1_000_000, whole=True),
        default=USUAL_BATCH,
        field="config.batch",
        option="batch-size",
        brief="(expected) records a step (default: 256; of fewer, a power of two up to half)",
        help="How many records one step looks at, on average. Larger batches need more noise on "
        "the sum, and less on the mean.",
        by_records=usual_batch,
    ),
    Control(
        "rate",
        "Learning rate",
        Number(1e-6, 1e3, step=0.1),
        default=0.5,
        field="config.learning_rate",
        brief="of the optimizer",
        help="How far one step moves the weights along the noisy gradient.",
    ),
    Control(
        "clipping",
        "Clipping norm C",
        Number(1e-6, 1e6, step=0.1),
        default=1.0,
        noun="a clipping norm of",
        field="config.clip",
        brief="C",
        help="**Clipping norm C**: every record's gradient is shortened to at most this length. So "
        "one record can move the sum by at most C.",
    ),
    Control(
        "shape",
        "Noise over weights",
        OneOf(
            {
                "isotropic": "The same for every weight",
                "scaled": "Scaled with the clipping",
                "published-004": "As paper 004 prints it",
            }
        ),
        noun="the noise",
        field="config.noise",
        brief="isotropic, published-004 (as paper 004 prints it) or scaled (its sound form)",
        help="**Same for every weight**: plain DP-SGD. **Scaled**: clipping and noise are scaled "
        "alike, by what earlier noisy gradients have shown; proved at the same ε. **As paper 004 "
        "prints it**: weights with large gradients get less noise, for study; nothing is proved "
        "for it.",
    ),
    Control(
        "scaled_by",
        "Weights from",
        OneOf(
            {
                "released": "Noisy gradients already released",
                "paid": "A paid slice of the budget",
                "public": ASIDE,
            }
        ),
        noun="weights from",
        field="config.weights",
        brief="where uneven noise takes its weights from: private, public, released or paid",
        help="Where the scales come from. **Released**: the noisy gradients of earlier steps, "
        "which cost nothing more. **Paid**: a second noisy query on each batch takes a share of "
        "the step's budget. **Public**: records of the training part that are taken as nobody's "
        "secret and not trained on.",
        shown=where(shape="scaled"),
    ),
    Control(
        "scale_for",
        "Scales chosen for",
        OneOf(
            {
                "adaclip": "Least noise power",
                "gradient": "Least noise along the gradient",
                "curvature": "Least loss by curvature",
            }
        ),
        noun="scales for",
        field="config.cost",
        brief="what scaled noise makes least: adaclip, gradient or curvature",
        help="What the scales make least. **Noise power**: the sum of all variances (AdaCliP). "
        "**Along the gradient**: paper 004's aim. **Curvature**: what noise adds to the loss; it "
        "needs public records.",
        shown=where(shape="scaled"),
    ),
    Control(
        "paid_share",
        "Share of each step's budget",
        Number(1e-3, 0.9, step=0.01),
        default=0.05,
        noun="a paid share of",
        field="config.share",
        brief="of each step's budget that weights are paid with",
        help="Part of every step's privacy budget that the second query takes from the gradient.",
        shown=where(shape="scaled", scaled_by="paid"),
    ),
    Control(
        "scale_each",
        "One scale for",
        OneOf(
            {"layer": "A layer", "weight": "A weight"},
            row=True,
            means={"layer": False, "weight": True},
        ),
        noun="a scale for",
        field="config.elementwise",
        brief="one scale a coordinate instead of one a layer",
        help="Whether all weights of a layer share a scale, or each weight has its own.",
        shown=_public_scales,
    ),
    Control(
        "reading",
        "Equation (11)",
        OneOf({"equal-shares": "Equal shares", "exact": "Solved exactly"}, row=True),
        noun="the reading",
        field="config.reading",
        brief="of paper 004's equation (11): equal-shares or exact",
        help="**Equal shares**: each weight may move by α/√d, which gives large noise where "
        "gradients are small. **Solved exactly**, equation (11) gives the same noise to every "
        "weight.",
        shown=where(shape="published-004"),
    ),
    Control(
        "lambda_order",
        "λ",
        Number(1e-3, 1e9),
        field="config.order",
        brief="paper 004's λ",
        placeholder="∞",
        help="**λ** of equation (9), for which the paper gives no value; left empty, λ → ∞, which "
        "asks for the least noise.",
        shown=where(shape="published-004"),
    ),
    Control(
        "noise_on",
        "Noise on",
        OneOf({"sum": "The sum", "mean": "The mean"}, row=True, means={"sum": False, "mean": True}),
        noun="noise on",
        field="config.noise_on_mean",
        brief="read paper 004's noise as on the mean of a batch",
        help="The paper writes its noise on the **mean** of a batch. It is sized for what one "
        "record changes in the **sum**. On the mean it is as many times larger as the batch has "
        "records.",
        shown=where(shape="published-004"),
    ),
    Control(
        "weighed_by",
        "Weights from",
        OneOf({"private": "All private records (as printed)", "public": ASIDE}),
        noun="weights from",
        field="config.weights",
        option="",
        help="The paper takes the mean gradient of **all private records**. The noise itself then "
        "tells about them, and nothing can be certified. With **public** records an accountant can "
        "count the smallest noise that any weights allow.",
        shown=_equal_shares,
    ),
    Control(
        "afresh",
        "Weights anew every … steps",
        Number(0, MAX_COUNT, whole=True),
        default=1,
        noun="a number of steps of",
        field="config.refresh",
        brief="steps after which weights are computed afresh; 0 for once",
        help="After how many steps weights are computed from records again; 0 for once, before the "
        "first step. The paper does it at every step.",
        shown=_afresh,
    ),
    Control(
        "set_aside",
        "Training records set aside",
        Number(1, MAX_COUNT, whole=True),
        default=100,
        noun="a number of public records of",
        field="public",
        brief="training records set aside as public",
        help="So many of the training records are taken as public. Weights are computed from them, "
        "and nothing is promised to them. Training has that many records fewer.",
        shown=_set_aside,
    ),
    Control(
        "schedule",
        "Noise over time",
        OneOf(
            {"constant": "Constant", "decaying": "Decaying"},
            row=True,
            means={"decaying": "decay"},
        ),
        default="decaying",
        noun="the schedule",
        option="schedule",
        help="Whether the noise stays the same, or falls as training goes on (paper 003). Either "
        "way the whole run spends the same ε.",
        shown=lambda values: values.get("shape") != "published-004",
    ),
    Control(
        "ratio",
        "Decay R of the variance",
        Number(0.01, 1.0, step=0.01),
        default=0.95,
        noun="a decay R of",
        field="config.decay",
        brief="R: the variance is multiplied by it each time",
        help="**Decay R**: the noise *variance* is multiplied by R each time; σ² becomes R σ².",
        shown=_decays,
    ),
    Control(
        "when",
        "Noise decays",
        OneOf({"epoch": "Every epoch", "step": "Every step"}, row=True),
        noun="a decay",
        field="config.decay_every",
        brief="epoch or step",
        help="When the variance is multiplied by R. Paper 003's algorithm says every step.",
        shown=_decays,
    ),
    Control(
        "repeats",
        "Repetitions",
        Number(1, 30, whole=True),
        default=5,
        noun="a number of repetitions of",
        field="runs",
        brief=f"trainings with seeds of their own (default: {TrainingStudy.runs})",
        help="How often training is repeated with new noise. You would publish one of them; each "
        "one spends the ε above.",
    ),
    Control(
        "train_seed",
        "Seed",
        Number(0, MAX_SEED, whole=True),
        default=0,
        field="config.seed",
        brief="of the first run, each further run adds 1; files are then exploration, nothing "
        "proved",
        help="Start of the random numbers. The same seed shows the same picture again; change it "
        "for new noise.",
        state="seed",
    ),
    *common.choice("train_chosen_of", "config.chosen_of"),
    common.adjacency("person", "config.adjacency", state="unit"),
    Control(
        "public_size",
        "Public size",
        Number(1, common.MAX_RECORDS, whole=True),
        field="config.public_size",
        brief="under add-remove: the number that rates, steps and divisors come from",
        placeholder="a number that everybody may know",
        help=common.PUBLIC_SIZE,
        shown=where(person=str(Adjacency.ADD_REMOVE)),
    ),
    Control(
        "optimizer",
        "Optimizer",
        OneOf({"sgd": "SGD", "momentum": "Momentum", "adam": "Adam"}, row=True),
        field="config.optimizer",
        brief="sgd, momentum or adam, on the noisy gradient",
        help="What is done with the noisy gradient. It sees nothing else, so it costs no privacy.",
    ),
    Control(
        "final_rate",
        "Rate left at the end",
        Number(0.0, 1.0, step=0.1),
        default=1.0,
        noun="a share of the learning rate of",
        field="config.final_rate",
        brief="share of the learning rate that is left at the end, falling linearly",
        help="Share of the learning rate that is left at the last step; it falls evenly until "
        "then. 1 keeps it as it is. Small last steps let less of the noise into the weights.",
    ),
    Control(
        "averaging",
        "Average over the last share",
        Number(0.0, 1.0, step=0.05),
        default=0.0,
        noun="a share of steps to average of",
        field="config.average",
        brief="share of the steps so far whose weights are averaged",
        help="Share of the steps so far whose weights are averaged, the latest counting most. 0 "
        "keeps those of the last step. Averaging smooths the noise away and costs no privacy.",
    ),
    Control(
        "activation",
        "Activation",
        OneOf({"relu": "ReLU", "tanh": "tanh"}, row=True),
        shown=lambda values: values.get("network") != "linear",
        field="config.activation",
        brief="relu or tanh",
        help="What each hidden unit does with its input. With clipped gradients tanh often works "
        "better.",
    ),
    Control(
        "draws",
        "Batches",
        OneOf({"poisson": "By chance (Poisson)", "none": "Every record"}, row=True),
        noun="batches",
        field="config.sampling",
        brief="poisson, fixed or none",
        shown=lambda values: values.get("shape") != "published-004",
        help="**By chance**: each record enters a step with probability batch ÷ n (Poisson), as "
        "the accountant assumes. **Every record**: each step looks at all of them.",
    ),
)

VIEW = common.tabs("train_view", TABS)
DETAIL = (VIEW, *common.RISK)
"""Controls of the tabs under the answer, but for those of questions."""

MORE_OPTIONS = (
    Control(
        "per_layer",
        "Clip each layer to its share of C",
        Switch(),
        field="config.per_layer",
        brief="clip each layer to its share of C",
    ),
)
"""Only on the command line."""

SHARED = tuple(control for control in CONTROLS if control.state)
"""The controls of the state that pages share."""

LEFT_ALONE = ("person", "public_size", "train_seed")
"""Controls that a preset does not set."""
FIRST = {key: value for key, value in CONTROLS.first().items() if key not in LEFT_ALONE}


def values(study: TrainingStudy) -> dict[str, Any]:
    """The controls' values for a study, by key; the others as on a first visit."""
    config = study.config
    fields = {name: getattr(study, name) for name in ("dataset", "features", "epsilon", "runs")}
    fields |= {f"config.{name}": value for name, value in vars(config).items()}
    derived = {"shape": config.noise, "schedule": "decaying" if config.decay < 1.0 else "constant"}
    return (
        FIRST
        | derived
        | {key: value for key, value in CONTROLS.values(fields).items() if key in FIRST}
    )


def _preset(name: str, **others: Any) -> Mapping[str, Any]:
    return values(STUDIES[name]) | {"repeats": 1} | others


PRESETS: dict[str, Mapping[str, Any]] = {
    "Digits (built in)": FIRST,
    "MNIST, scattering features": _preset("mnist-whitened-3"),
    "MNIST, convolutional network": _preset("mnist-cnn-3"),
    "Chest X-ray features, five findings": FIRST
    | {"dataset": "chest_features", "network": "linear", "passes": 20, "lot": 1024, "repeats": 3},
    "PneumoniaMNIST, scattering features": _preset("pneumonia-3", measure="auc_test", repeats=5),
    "Heart, paper 000's network": FIRST
    | {"dataset": "heart", "layers": 2, "units": 100, "passes": 50, "lot": 64, "rate": 0.2}
    | {"repeats": 10},
    "Cardio, paper 000's network": FIRST
    | {"dataset": "cardio", "layers": 2, "units": 100, "passes": 5, "lot": 1024, "repeats": 1},
    **{title: FIRST | dict(settings) for title, (_, settings) in FIGURES.items()},
}
"""Presets by name: the values of the controls."""
