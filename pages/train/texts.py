"""What the words on Train mean, for someone who meets them for the first time."""

from __future__ import annotations

PRESET = (
    "Settings to start from: data, network and how to train. Any control may be changed afterwards."
)
SCHEDULE = (
    "Whether the noise stays the same, or falls as training goes on (paper 003). Either way the "
    "whole run spends the same ε."
)
KEEPING = (
    "What this page trains is **exploration**: its noise comes from the seed, and whoever has the "
    "seed takes it off again. A model that may leave the house is trained once more, with batches "
    "and noise from the operating system. Each such training spends ε anew."
)
WHO_MAY_HAVE = (
    "**May leave the house**: weights and settings, of which the ε speaks. **Stays within it**: "
    "measures, which are computed from real records and are not private."
)
MEASURES = (
    "Measured on real records: not private, and no ε speaks of it. How ε grows stands under "
    "“Noise schedule”."
)
KEPT_UNKNOWN = "What they cost together is not known: nothing is certified for the noise of one."
EXPLORED = (
    "This holds for a model trained for keeping (Take along). The networks on this page explore: "
    "their noise comes from a seed."
)

ACCURACY = "Share of test records that the private network gets right, on average over the runs."
AUC = (
    "Area under the ROC curve on test records, on average over the runs: how often a record that "
    "has the finding is ranked above one that has not. 0.5 is guessing."
)
LOST = (
    "Counted against the same network without clipping and noise, trained on the same batches by "
    "Adam with a learning rate of its own (0.01)."
)
SPENT = "What an accountant certifies for exactly the noise that is added, over the whole run."
SIGMA = (
    "**Noise σ₀**: standard deviation of the noise on the *sum* of the batch's clipped gradients "
    "at the first step. Divided by C it is the noise multiplier."
)
BETTER = (
    "That the private network comes out better than the one without privacy may be chance among "
    "the test records and runs, or because noise and clipping can act against overfitting."
)
COMPUTING = "Computing …"
UNTOUCHED = "Stopped before its first step: nothing is trained yet, and nothing is spent."
WAITS = "The lines come as it trains."
NO_TIME = "begins with the first epoch"
TIME = "Time that one job took for all its runs together, and where it was computed."
LIVE = (
    "Each line is the mean over the runs, each run a training of its own. Lines end where training "
    "is now."
)
WHOLE_RUN = (
    "This is for the whole run as set; one that is stopped has spent what “Certified ε” above says."
)
NO_ODDS = "No bound: nothing is certified for this noise."
NO_OPACUS = "Opacus adds the same noise to every weight, so it has no equal of this noise."
OPACUS_NETWORK = "`model` is yours; the network of this page is built by the Python snippet above."
WHY = (
    "Clipping makes gradients smaller and bends their sum; noise covers it. Each column is a "
    "training with these settings and only one of the two, or both; each point is one run."
)
SHAPES = (
    "The same training with three shapes of noise, constant over time. **The same for every "
    "weight** and **scaled with the clipping** are certified at the ε that was asked for. **Paper "
    "004** claims that ε for its noise; nothing is certified for it, because the private gradient "
    "itself decides where the noise is small."
)
SHAPES_PUBLIC = (
    "To see what paper 004's shape costs at a *certified* ε, take scaled or paper 004's noise with "
    "weights from records set aside as public (“More about the noise”)."
)
SHAPES_POISSON = (
    "Paper 004's claim is about batches drawn by chance, so its noise is left out here."
)
COMPARE = (
    "Every training that ends in this session is listed here. Change a control, train again, and "
    "lay one over the other; the link keeps the choice."
)
COMPARE_MORE = "Choose a second one to see in what they differ."
NOT_PRIVATE = (
    "Every accuracy, AUC and loss on this page is measured on real records and is itself not "
    "private: ε counts what the trained network tells, not what this page shows."
)
EFFECT = (
    "The same training with other values of one setting, all within the same ε at the same δ. "
    "Something has to give way: either the noise is solved anew, or only so many epochs are run as "
    "the same noise affords."
)
SO_FAR = "It is still being trained: these are the values so far."
CHOOSING = (
    "To choose the best of several values by looking at real records is itself a look at them, "
    "which ε does not cover."
)
UPLOAD = (
    "A file written by `numpy.savez` with `train_features` and `test_features` (records × "
    "features), `train_labels` and `test_labels` (whole numbers from 0, or 0, 1 and nan for "
    "several labels), and `names` if you like. It stays on this machine."
)
UPLOADED = (
    "**Your records stay on this machine**: the file goes to the worker that trains and to no one "
    "else. Trained weights and the history are kept until you leave this page. What this page "
    "*shows* about them (accuracy, AUC, loss, why accuracy fell) is measured on them and is not "
    "private. Features must come from a network that has not seen these records."
)
OWN_SETTINGS = "For the option `--set` and for `settings` of a study in Python; this page has none."
UPLOAD_FIRST = "Choose the file among the controls."
NAMES = {
    "dataset": "the data",
    "features": "the inputs",
    "public": "the records set aside",
    "target_epsilon": "ε",
    "runs": "the number of runs",
    "network": "the network",
    "widths": "the hidden units",
    "activation": "the activation",
    "epochs": "the epochs",
    "batch": "the batch size",
    "learning_rate": "the learning rate",
    "final_rate": "the learning rate at the end",
    "optimizer": "the optimizer",
    "clip": "the clipping norm C",
    "decay": "the decay R",
    "decay_every": "when the noise decays",
    "sampling": "how batches are drawn",
    "adjacency": "one person's difference",
    "public_size": "the public size",
    "noise": "the noise over weights",
    "weights": "where weights come from",
    "average": "the share of steps averaged",
    "seed": "the seed",
}
