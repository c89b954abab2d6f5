"""Explain the words on Train to someone who meets them for the first time."""

from __future__ import annotations

from dpcore.controls.train import CONTROLS

PRESET = (
    "Settings to start from: data, network and how to train. Any control may be changed afterwards."
)
DRAWN_ALONE = (
    "Judged by what this page has drawn. `python -m dpcore reproduce` runs all of the figure."
)
SCHEDULE = (
    "Whether the noise stays the same, or falls as training goes on (paper 003). Either way the "
    "whole run spends the same ε."
)
ASKED = (
    "The ε that is asked for, {adjacency}. The least noise for it is found by privacy loss "
    "distribution (PLD); what is certified for that noise stands below."
)
EXPLORED = (
    "This holds for a model trained for keeping. The networks on this page explore: "
    "their noise comes from a seed."
)

ACCURACY = "Share of test records that the private network gets right; mean over repetitions."
AUC = (
    "Area under the ROC curve on test records; mean over repetitions. It says how often a record "
    "that has the finding is ranked above one that has not. 0.5 is guessing."
)
LOST = (
    "Counted against the same network without clipping and noise. That one is trained from the "
    "same seeds by Adam, with a learning rate of its own (0.01).\n\n**Clipping**: what changes "
    "with clipping and your optimizer, without noise. That training is not private, and is never "
    "kept.\n\n**Noise**: what your noise changes after that. Parts are counted from the numbers as "
    "shown."
)
SPENT = "What an accountant certifies for exactly the noise that is added, over the whole run."
SIGMA = (
    "**Noise σ₀**: standard deviation of the noise on the *sum* of the batch's clipped gradients "
    "at the first step. Divided by C it is the noise multiplier."
)
LESS_FIRST_NOISE = (
    f"Fewer {CONTROLS['passes'].label.lower()} help, or “{CONTROLS['ratio'].label}” nearer to 1, "
    "which stands under “Expert”."
)
BETTER = (
    "The private network comes out better than the one without privacy. That may be chance among "
    "test records and repetitions, or noise and clipping act against overfitting."
)
COMPUTING = "Computing …"
UNTOUCHED = "Stopped before its first step: nothing is trained yet, and nothing is spent."
BY_ITSELF = "Short, so it starts by itself."
FIRST_EPOCH = "waiting for the first epoch"
NOT_YET = "not trained yet"
CLIPPING_NOT_YET = "Waiting for the training with clipping alone."
MEASURED_ON_MADE_UP = "Every accuracy, AUC and loss on this page is measured on made-up records."
MEASURED = (
    "Every accuracy, AUC and loss on this page is measured on real records and is itself not "
    "private. ε counts what the trained network tells, not what this page shows."
)
TIME = "**Time**: what one job took for all its repetitions together, and where."
LIVE = (
    "Each line is the mean over repetitions, each a training of its own. Lines end where training "
    "is now. “Clipping only” and “no privacy” are not private."
)
WHOLE_RUN = (
    "This is for the whole run as set; one that is stopped has spent what “Certified ε” above says."
)
UPLOAD = (
    "A file written by `numpy.savez`. It holds `train_features` and `test_features` (records × "
    "features), `train_labels` and `test_labels`, and `names` if you like. Labels are whole "
    "numbers from 0; several labels a record are 0, 1 and nan. It stays on this machine."
)
UPLOADED = (
    "**Your records stay on this machine**: the file goes to the worker that trains and to no one "
    "else. Trained weights and the history are kept until you leave this page. What this page "
    "*shows* about them (accuracy, AUC, loss, why accuracy fell) is measured on them and is not "
    "private. Features must come from a network that has not seen these records."
)
OWN_SETTINGS = "For the option `--set` and for `settings` of a study in Python; this page has none."
