"""What the words on screen mean, for someone who meets them for the first time."""

from __future__ import annotations

EPSILON = (
    "**Privacy loss ε** bounds how much the published model can tell about any one person: no "
    "outcome becomes more than e^ε times as likely because of one record (except with the small "
    "probability δ). Small ε: strong promise, much noise."
)
DELTA = (
    "**Failure probability δ**: the chance that the ε-promise may fail. It should be far below one "
    "in the number of records; at δ = 1/n a method may publish one record at random and still "
    "keep the promise."
)
DELTA_RULE = (
    "The rule uses only the number of records n: 1e-5, or the largest power of ten at most 1/(10n) "
    "where that is smaller."
)
LAMBDA = (
    "**Regularisation λ** keeps the model's weights small. Privacy needs it: the smaller λ, the "
    "more one record can move the model, and the more noise is needed. The rule uses only the "
    "number of records n and of features d: λ = (d/n²)^⅓ / 4, rounded. **Near zero** costs DP-GD "
    "least, which stops early instead, and objective perturbation, which sets its own; output "
    "perturbation then stops after a few steps, and its curve goes up and down. 0.001 is what "
    "paper 000 uses; on a few hundred patients it drowns output perturbation in noise."
)
HUBER_WIDTH = (
    "How round the corner of the support-vector machine's loss is. Paper 000 uses 0.5. Under "
    "privacy 2 costs least accuracy: the loss then falls steeply from the start, which makes most "
    "of the noise, and bends little."
)
DATA = "Which records the model learns from. Built-in sets need no network."
LOSS = (
    "How the model learns. **Logistic regression** gives probabilities; the **Huber support-vector "
    "machine** looks for the widest margin, smoothed so that its privacy can be proved."
)
SQUARED = (
    "Half the squared error, with the outcome scaled by its public bounds. Beyond half its range "
    "it goes on as a straight line, so that no single record can pull without limit."
)
METHODS = (
    "Ways to train with privacy. The same model without privacy and a guess without any features "
    "are always drawn for comparison."
)
FEATURES = (
    "**Random Fourier features** are waves across the data whose directions and lengths are drawn "
    "by chance, without looking at any record. A linear model of them can follow curves, as a "
    "Gaussian-kernel machine does. Privacy is proved as before; the noise falls on every feature."
)
AT_ONCE = "Its curve is computed at once."
IN_BACKGROUND = "Its curve is trained in the background."
EDITION = (
    "**Sound**: with the sensitivity and the accounting that can be proved. **As published**: as "
    "the paper prints it, for study, with its conditions checked."
)
RUNS = (
    "How often training is repeated with fresh noise. The band holds nine of ten single runs; you "
    "would publish one of them."
)
ADJACENCY = (
    "What counts as *one person's difference*. **One record blanked out**: replaced by an empty "
    "one. **One record replaced**: exchanged for any other. Either way the number of records is "
    "public."
)
ACCURACY = "Share of test records that the private model gets right, on average over its noise."
AREA = (
    "**Area under the ROC curve**: how often the private model ranks a case above someone who is "
    "none, taken at random; on average over its noise. 0.5 is a coin, 1 is perfect."
)
COMPARED_BY = (
    "**Accuracy** counts right answers. **AUC**, the area under the ROC curve, asks how well cases "
    "are ranked above the others, whatever share of the records they are and wherever the line is "
    "drawn: look at it where cases are rare."
)
RMSE = (
    "**Root mean squared error** on test records, in the outcome's own unit, over its noise: how "
    "far predictions are off, large misses counting most. Predictions are first brought into the "
    "outcome's public range, which costs no privacy."
)
R2 = (
    "Share of the outcome's variance on test records that the predictions explain: 1 is perfect, 0 "
    "is no better than always giving the mean, below 0 is worse."
)
COST_IN_RMSE = (
    "How much larger the error becomes, counted against the same kind of model without privacy: "
    "with its λ chosen by cross-validation or with the same λ, whichever is better."
)
MAY_RAISE = (
    "The largest acceptable error, counted up from the better model without privacy. The answer is "
    "the ε from which on the best proved method keeps it."
)
COST = (
    "Percentage points of accuracy lost, counted against the same kind of model without privacy: "
    "with its λ chosen by cross-validation or with the same λ, whichever is better."
)
MAY_COST = (
    "The lowest acceptable accuracy, counted down from the better model without privacy. The "
    "answer is the ε from which on the best proved method keeps it."
)
COST_IN_AREA = (
    "AUC lost, counted against the same kind of model without privacy: with its λ chosen by "
    "cross-validation or with the same λ, whichever is better."
)
MAY_LOSE = (
    "The lowest acceptable AUC, counted down from the better model without privacy. The answer is "
    "the ε from which on the best proved method keeps it."
)
FRONTIER = (
    "Methods are compared by curves computed from these records, which is not private: use it to "
    "plan, on public records or with the choice paid for. The bars hold nine of ten single runs."
)
START_FROM = (
    "Sets every control for a figure of a paper, on data that are at hand. Its link holds the "
    "settings themselves."
)
CENTRAL = (
    "The one who holds the records and runs this: they see every record as it is. The promise is "
    "about what everyone else can learn from what is published."
)
ASSUMED = "That is an assumption of yours, which nothing here can check."
TRUST = (
    "**Central** model: one party holds all the records and adds the noise. **Shuffled** model: "
    "people blur their own records, and a mixer passes them on without names. **Local** model: "
    "people blur their own records so much that nobody has to be trusted."
)
BLURRED = (
    "Here everyone adds noise before handing anything in, so a promise holds even against the "
    "server: the **local ε**. The more people there are, the less noise each has to add for the "
    "sum, and the less a message is protected on its own."
)
MAY_MISS = (
    "InputPert: how many people may stay away, or tell others their noise, without the promise "
    "being broken. Everyone else adds more noise to make up for them."
)
CURVES = (
    "Each point is the average over the noise; nine of ten single runs lie in the band. Drag to "
    "zoom; a double click brings the first view back."
)
SIGMA = (
    "**Noise scale σ**: the standard deviation of the noise on each number of the query. "
    "**Sensitivity Δ**: how far one record can move that query."
)
OBJECTIVE = "What training minimises: average loss plus the λ penalty. Lower is a better fit."
ODDS = (
    "Each of 100 people sees the published model, knows every other record, and guesses about one. "
    "The bound follows from ε and δ, and holds where that ε is proved: see the badge beside the "
    "method."
)
ODDS_CONDITION = "For any method with this ε and δ whose badge says proved."
MISSED = (
    "Of 1,000 people like the test records: how many who have the condition are told that they do "
    "not have it."
)
PREPARATION = (
    "How records become numbers. The defaults use public bounds only. Settings that look at the "
    "data leak, and are marked."
)
GAPS = (
    "Filled in: a number by the middle of its public bounds, a category by a level of its own. "
    "Left out: how many records there are then depends on who has a gap, and what is proved does "
    "not cover a person whose record has one."
)
FULL_LENGTH = (
    "Paper 000 runs T = n² - 1 steps. Here T = n by default, which differs from the paper; up to "
    "1,000 records its own length can be chosen. Training then takes longer."
)
STEPS = "How many training steps T. Empty: each method's own written rule."
RADIUS = (
    "With λ = 0 the weights are kept inside a ball of this public radius R, as the theorems need."
)
COHORT = "How many synthetic patients to draw; their true model is known."

ONE_AGAINST_THE_REST = (
    "one model for each tells it from all others, and the surest one decides. Every record is in "
    "all of these models, so each has a share of the privacy budget only."
)
BALANCED = (
    "Accuracy within each class, averaged over the classes: rare classes count as much as common "
    "ones."
)
SOURCES = {
    "closed form": "Computed exactly; the band comes from 200 draws of the noise.",
    "sampled": "Averaged over the runs that were trained.",
    "draws": "Averaged over 200 draws of the noise.",
}
LOSS_TITLES = {
    "logistic": "Logistic regression",
    "huber": "Huber SVM",
    "squared": "Linear regression",
}
EDITION_TITLES = {"sound": "Sound", "published": "As published"}
ADJACENCY_TITLES = {
    "zero-out": "One record blanked out",
    "replace-one": "One record replaced",
}
STATUS_WORDS = {
    "proved": "The noise added gives the stated ε and δ, by the named theorem or accountant.",
    "exploration only": "From a seed, which takes the noise off again; trained for keeping it is "
    "proved.",
    "conditions not met": "A condition of the theorem fails here, so it proves nothing.",
    "claim not supported": "The noise that is added does not give what the paper claims.",
    "not private": "No noise is added: no promise at all.",
    "described only": "What its authors say of it; nothing of it is checked or run here.",
}
STATUS_COLOURS = {
    "proved": "green",
    "exploration only": "gray",
    "conditions not met": "orange",
    "claim not supported": "red",
    "not private": "gray",
    "described only": "gray",
}
STATUS_ICONS = {
    "proved": ":material/verified:",
    "exploration only": ":material/science:",
    "conditions not met": ":material/rule:",
    "claim not supported": ":material/error:",
    "not private": ":material/lock_open:",
    "described only": ":material/menu_book:",
}
UPLOAD_IS_DROPPED = "When this page is loaded anew, the file has to be chosen again."
OWN_TABLE = (
    "Hand over a text file (CSV: commas, semicolons or tabs) whose first line names the columns, "
    "and describe the columns that are used, one a line:"
)
OWN_COLUMNS = (
    "**A number** has a range: the lowest and the highest value possible, and a unit if you like. "
    "**Any other column** is one of a list; of two outcomes the second is the one looked for. "
    "**What is predicted** begins with the word *predict*; it may be a number or one of a list. "
    "Where values may be unknown, say how the file writes that: `; unknown: NA`, or `; unknown: "
    "blank` for empty fields. A column without a line, or with nothing after its colon, is left "
    "out. Ranges and lists must come from a codebook or common knowledge, "
    "**never from these records**: a range that is read off the data would break every proof. "
    "Values outside a range are brought into it and counted."
)
OWN_RANGES = "Every proof here takes the ranges and lists of your description to be public."
UPLOADED = (
    "These are your own records. The curves on this page are computed from them and are **not "
    "private**: treat every number and picture here like the records themselves."
)
RECORDS = "How many records the training data hold."
BATCH = "How many records one step sees, on average."
EPOCHS = "How often training goes through all the records."
PLAN_SIGMA = (
    "**Noise σ**: standard deviation of the noise added to the *sum* of the batch's clipped "
    "gradients. Divided by C it is the noise multiplier."
)
CLIP = "**Clipping norm C**: every record's gradient is shortened to at most this length."
DECAY = (
    "The noise *variance* is multiplied by R each time (paper 003): σ² becomes R σ². R = 1 keeps "
    "the noise constant. Opacus counts in σ: its γ is √R."
)
DECAYS = "When the variance is multiplied by R. Paper 003's algorithm says every step."
SAMPLING = "How a batch is drawn. The accountant must assume the same."
PLAN_ADJACENCY = (
    "What counts as one person's difference. One adjacency holds for every certified ε."
)
TARGET = "For the questions asked backwards: how much may be spent in all."
CERTIFY = "Rényi accounting answers at once; privacy loss distributions answer tighter, in seconds."
PRINTED_ADJACENCY = (
    "Certified lines hold for the adjacency of the controls. The printed line is paper 003's "
    "own claim under replace-one; it is drawn for comparison only."
)
ANY_METHOD = "The bound holds for any method with this ε and δ (Kairouz, Oh and Viswanath 2015)."
PRIOR = (
    "How likely they think it is before they see the result, the **prior**: from a rumour, or from "
    "how common it is. Privacy bounds what the result adds to it."
)
ALARMS = (
    "How often their test may ring by mistake, the **false-positive rate**. A test that seldom "
    "rings by mistake convinces more when it rings, but finds fewer."
)
RIGHT_GUESSES = (
    "Each of 100 people sees the result, knows every other record, starts from even odds, and uses "
    "the best test: how many are right at most."
)
ADVANTAGE = (
    "The **advantage**: how many more the best test finds, in points, than it accuses by mistake."
)
HITS = (
    "The **true-positive rate** of the best test whose false-positive rate is the one chosen above."
)
BELIEF_AFTER = (
    "The **posterior**: how sure they can be after this test rings, by Bayes' rule from the belief "
    "set above. When it does not ring, they are less sure than before."
)
NO_CURVE = (
    "No more than ε and δ is known of the noise here, so these numbers are those of the worst "
    "method with this ε and δ."
)
