"""Explain the words on screen to someone who meets them for the first time."""

from __future__ import annotations

SQUARED = (
    "Half the squared error, with the outcome scaled by its public bounds. Beyond half its range "
    "it goes on as a straight line, so that no single record can pull without limit."
)
AT_ONCE = "Its curve is computed at once."
IN_BACKGROUND = "Its curve is trained in the background."
R2 = (
    "Share of the outcome's variance on test records that the predictions explain. 1 is perfect, 0 "
    "is no better than always giving the mean, below 0 is worse."
)
START_FROM = (
    "Sets every control for a figure of a paper, on data that are at hand. Its link holds the "
    "settings themselves. Figures of papers 003 and 004 are of networks: they open on Train."
)
PARTS = (
    "**Simpler model**: what the same private training loses with its noise left out. It comes "
    "from regularisation, an early end or preparation, which are chosen so that noise does less. "
    "**Privacy noise**: the rest. Both together are what privacy costs, against the one model "
    "without privacy of this data set."
)
SIGMA = (
    "**Noise scale σ**: the standard deviation of the noise on each number of the query. "
    "**Sensitivity Δ**: how far one record can move that query."
)
REFERENCE_LAM = (
    "The linear one has λ = {lam}, which predicted held-out training records best. Private "
    "models have their λ by rule."
)
MISSED = (
    "Of 1 000 people like the test records. **Missed**: have the condition and are told that they "
    "do not. **False alarms**: do not have it and are told that they do. Look at both: "
    "privacy can lower one of them and raise the other."
)

ONE_AGAINST_THE_REST = (
    "one model for each tells it from all others, and the surest one decides. Every record is in "
    "all of these models, so each has a share of the privacy budget only."
)
MOST_FREQUENT_IN_TRAINING = "the most frequent answer in training"
BALANCED = (
    "Accuracy within each class, averaged over the classes: rare classes count as much as common "
    "ones."
)
SOURCES = {
    "closed form": "Computed exactly; the band comes from {runs} draws of the noise.",
    "sampled": "Averaged over the runs that were trained.",
    "draws": "Averaged over {runs} draws of the noise.",
}
OWN_RANGES = "Every proof here takes the ranges and lists of your description to be public."
UPLOADED = (
    "These are your own records. The curves on this page are computed from them and are **not "
    "private**. Treat every number and picture here like the records themselves."
)
FEATURES = {"plain": "straight lines", "additive": "curves", "fine": "fine curves"}
LINES_OR_CURVES = ", each number a curve, or a straight line where noise is large"
LAMBDA_BY_RULE = (
    ", by rule. Methods whose noise does not grow with a smaller λ learn with a 64th of it"
)
OTHER_OBJECTIVE = (
    "All are measured at the λ that the page states, but {names} learned with a 64th of it. That "
    "is farther from this minimum, which says nothing of accuracy."
)

ARE_TIMED = "Methods are being timed: the line above says how far it is."
TIMED = (
    "Each model was trained alone, once, on the machine that runs this page. Another machine or "
    "another moment gives other seconds, so no command repeats them. They hang on the number of "
    "steps and of features, not on ε itself."
)
OTHER_STEPS = "That number is another at some ε for {names}."
SAME_STEPS = "That number is the same at every ε."

NO_RISKS = "This needs risks, which only **logistic regression** gives. Choose it under Expert."
MODEL_WITHOUT_RISKS = (
    "{} gives classes, not risks. Methods that fit a **logistic regression** give them: choose one "
    "under Expert."
)
BY_HAND = (
    "{} in run {}, at ε = {}. Its noise comes from a seed: for exploration, and no release. "
    "Correcting a release **without looking at records** is post-processing and costs nothing. "
    "Correcting it while looking at accuracy on real records, or at a model without privacy, is "
    "**not private**."
)
HEIGHT = "In log odds, of a record of average length. Adding 0.7 doubles the odds."
EFFECT = (
    "Accuracy, AUC and calibration on the test records, before and after. They are **not "
    "private**: whoever corrects by them has looked at the records."
)
EFFECT_IS_MEASURED = "The effect is being measured: the line above says how far it is."
NOTHING_CORRECTED = "No method that is proved here has risks that can be corrected within ε."
CORRECTED_BY = "Corrected within the same ε: risks by {}."
DRAWN_ANEW = "Judged on {runs} models drawn anew; the first screen has the exact mean of all."
LEAVE = "May it leave?"
ACTING = "Acting from a risk of {} on."
AT_ONE_HALF = "Accuracy here is of acting from 50 %, as models do that are told nothing else."
THEIR_BASELINE = (
    "The non-private model of these conclusions has the paper's λ. The dashed line is the better "
    "of a tuned linear model and boosted trees."
)
AT_THE_THRESHOLD = (
    "This table is of accuracy at 50 %. That of the first screen, and its command, stand behind "
    "“Table, CSV and code” under the picture."
)
