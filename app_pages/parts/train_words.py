"""What the words on Train mean, for someone who meets them for the first time."""

from __future__ import annotations

PRESET = (
    "Settings to start from: data, network and how to train. Any control may be changed afterwards."
)
DATA = "Which records the network learns from. The digits and the synthetic sets are built in."
MEASURE = (
    "**Accuracy**: share of test records that are right. **AUC**: how often a record that has the "
    "condition is ranked above one that has not; unlike accuracy it does not hang on how many have "
    "it."
)
INPUTS = (
    "**As they are**; **set upright**: each image moved to its middle and sheared until it does "
    "not lean; or **scattering features**: fixed wavelet filters. All are computed from each image "
    "by itself and look at no other record, so they cost no privacy; a linear network on top of "
    "scattering is hard to beat at small ε. **Whitened** (MNIST): the same, pressed together where "
    "public digits of other people vary most, so that clipping cuts off less."
)
NETWORK = (
    "**Linear**: one layer. **Perceptron**: fully connected hidden layers. **Convolutional**: the "
    "small network for images of at least 28 × 28 pixels that papers 003 and 004 use. **Lean "
    "CNN**: the same without its hidden layer, because half as many weights catch less noise."
)
LAYERS = "Hidden layers of the perceptron. Paper 000 uses two of 100 units."
UNITS = "Units in each hidden layer."
ACTIVATION = (
    "What each hidden unit does with its input. With clipped gradients tanh often works better."
)
EPSILON = (
    "**Privacy loss ε** that the whole training may spend. The noise is set to the least that "
    "keeps within it."
)
DELTA = (
    "**Failure probability δ**: the chance that the ε-promise may fail. It should be far below "
    "1/n; at δ = 1/n a method may publish one record at random and still keep the promise."
)
EPOCHS = "How often training goes through all the records. More epochs need more noise in each."
BATCH = (
    "How many records one step looks at, on average. Larger batches need more noise on the sum, "
    "and less on the mean."
)
RATE = "How far one step moves the weights along the noisy gradient."
FINAL_RATE = (
    "Share of the learning rate that is left at the last step; it falls evenly until then. 1 keeps "
    "it as it is. Small last steps let less of the noise into the weights."
)
OPTIMIZER = "What is done with the noisy gradient. It sees nothing else, so it costs no privacy."
AVERAGE = (
    "Share of the steps so far whose weights are averaged, the latest counting most; 0 keeps those "
    "of the last step. Averaging smooths the noise away and costs no privacy."
)
CLIP = (
    "**Clipping norm C**: every record's gradient is shortened to at most this length, so that one "
    "record can move the sum by at most C."
)
SCHEDULE = (
    "Whether the noise stays the same, or falls as training goes on (paper 003). Either way the "
    "whole run spends the same ε."
)
DECAY = "**Decay R**: the noise *variance* is multiplied by R each time; σ² becomes R σ²."
WHEN = "When the variance is multiplied by R. Paper 003's algorithm says every step."
NOISE = (
    "**Same for every weight**: plain DP-SGD. **Scaled**: clipping and noise are scaled alike, by "
    "what earlier noisy gradients have shown; proved at the same ε. **As paper 004 prints it**: "
    "weights with large gradients get less noise, for study; nothing is proved for it."
)
WEIGHTS = (
    "Where the scales come from. **Released**: the noisy gradients of earlier steps, which cost "
    "nothing more. **Paid**: a second noisy query on each batch takes a share of the step's "
    "budget. **Public**: records of the training part that are taken as nobody's secret and not "
    "trained on."
)
WEIGHED = (
    "The paper takes the mean gradient of **all private records**, so the noise itself tells about "
    "them and nothing can be certified. With **public** records an accountant can count the "
    "smallest noise that any weights allow."
)
COST = (
    "What the scales make least. **Noise power**: the sum of all variances (AdaCliP). **Along the "
    "gradient**: paper 004's aim. **Curvature**: what noise adds to the loss; it needs public "
    "records."
)
SHARE = "Part of every step's privacy budget that the second query takes from the gradient."
EACH = "Whether all weights of a layer share a scale, or each weight has its own."
AFRESH = (
    "After how many steps weights are computed from records again; 0 for once, before the first "
    "step. The paper does it at every step."
)
ASIDE = (
    "So many of the training records are taken as public: weights are computed from them, and "
    "nothing is promised to them. Training has that many records fewer."
)
READING = (
    "**Equal shares**: each weight may move by α/√d, which gives large noise where gradients are "
    "small. **Solved exactly**, equation (11) gives the same noise to every weight."
)
NOISE_ON = (
    "The paper writes its noise on the **mean** of a batch, its privacy argument is about the "
    "**sum**. On the mean it is as many times larger as the batch has records."
)
ORDER = (
    "**λ** of equation (9), for which the paper gives no value; left empty, λ → ∞, which asks for "
    "the least noise."
)
SAMPLING = (
    "**By chance**: each record enters a step with probability batch ÷ n (Poisson), as the "
    "accountant assumes. **Every record**: each step looks at all of them."
)
KEEPING = (
    "What this page trains is **exploration**: its noise comes from the seed, and whoever has the "
    "seed takes it off again. A model that may leave the house is trained once more, with batches "
    "and noise from the operating system. Each such training spends ε anew."
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
RUNS = (
    "How often training is repeated with fresh noise. You would publish one of them; each one "
    "spends the ε above."
)
SEED = "Start of the random numbers, so that a link shows the same picture again."

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
CLAIM = "What the paper of this noise says, computed as it prints it."
LIVE = (
    "Each line is the mean over the runs, each run a training of its own. Lines end where training "
    "is now."
)
NO_CLAIM = "Plain DP-SGD as it is here is in neither paper: there is no claim to compare with."
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
EFFECT_OF = (
    "Paper 003, figure 2, varies the decay R, the first noise σ₀ and the clipping norm C; paper "
    "004, figure 5, the lot size, the hidden units and the clipping norm."
)
GIVES_WAY = (
    "**The noise**: as many epochs as set, the noise solved anew for each value. **The epochs**: "
    "the same first noise, and as many epochs as keep within ε, at most ten times as many as set."
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
