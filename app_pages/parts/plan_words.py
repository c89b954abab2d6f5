"""What the words on Plan mean, for someone who meets them for the first time."""

from __future__ import annotations

from dpcore.guarantee import SAME_FIGURE

PRESET = (
    "Settings printed in paper 003 (Zhang et al.), or taken from its tables, to start from. Any "
    "control may be changed afterwards. The tab *Paper 003* lists what each claims and what is "
    "certified for it."
)
RECORDS = "How many records (people, images) the training data hold. This number is public."
PUBLIC_SIZE = (
    "A nominal number of records that everybody may know, fixed without a look at the data: a "
    "published figure, a quota. Rates and steps come from it, and so must whatever the training "
    "divides by; how many records there really are is protected and enters nowhere."
)
BATCH = "How many records one step looks at, on average. Batch size ÷ n is the sampling rate q."
LENGTH = "Whether the length of training is given in passes over the data, or in single steps."
EPOCHS = "How often training goes through all the records."
STEPS = "How many noisy steps training takes in all. Every step spends some of the budget."
SIGMA = (
    "**Noise σ₀**: standard deviation of the noise added to the *sum* of the batch's clipped "
    "gradients at the first step. Divided by C it is the noise multiplier."
)
LAST_SIGMA = "Standard deviation of the noise on the sum at the last step, after all decays."
CLIP = "**Clipping norm C**: every record's gradient is shortened to at most this length."
DECAY = (
    "The noise *variance* is multiplied by R each time (paper 003): σ² becomes R σ². R = 1 keeps "
    "the noise constant. Opacus counts in σ: its γ is √R."
)
DECAYS = (
    "When the variance is multiplied by R. Paper 003's Algorithm 1 says every step; its "
    "experiments speak of epochs."
)
EVERY = "The variance is multiplied by R after this many steps."
DELTA = (
    "**Failure probability δ**: the chance that the ε-promise may fail. It should be far below "
    "1/n; at δ = 1/n a method may publish one record at random and still keep the promise."
)
SAMPLING = "How a batch is drawn. The accountant must assume the same as the training code does."
ADJACENCY = (
    "What counts as one person's difference. It holds for every certified ε on this page. **One "
    "record blanked out** (zero-out): the number of records is public. **Replaced** by any other "
    "(replace-one, the strictest). **More or less** (add-remove): the number of records is "
    "private, and a public size stands in its place."
)
SOLVE = (
    "Which setting to find, so that the run spends at most the target ε, all others as they are."
)
WHICH_ANSWER = (
    "Both answers are proved. Use the one by PLD: it adds up the same noise more tightly, so the "
    "same ε buys more. Rényi's comes sooner."
)
TARGET = "The ε that may be spent in all."
CHART = (
    "Each line is one way to add up what the steps spend. Lower is tighter; a certified line is an "
    "upper bound that holds. The printed line is a claim."
)
RDP_NUMBER = (
    "Adds up Rényi divergences of the steps. It is an upper bound that holds, and answers at once."
)
PLD_NUMBER = (
    "Adds up the whole privacy loss distribution of the steps, every rounding charged to δ. It is "
    "an upper bound that holds, and the tightest one here."
)
PRINTED_NUMBER = (
    "Equations (3) and (4) and Lemma 3 of paper 003, exactly as printed. It is a claim, not a "
    "guarantee. The badges say whether the number holds under replace-one, of which its lemma "
    "speaks: for batches drawn as in this run, and for batches of fixed size, as the lemma has "
    "them."
)
FINDINGS = (
    "**Holds**: an accountant certifies that ε or less for exactly this noise. **Does not hold**: "
    "some data sets show more than that. **Not decided**: neither is known here. Each answer is "
    "for the neighbours and for the way of drawing batches named beside it; for others it may "
    "differ."
)
NOT_PROVED = (
    "A condition of this theorem is not met, or there is none. That does not make a number false."
)
OF_THE_LEMMA = "The paper's lemma speaks of batches of fixed size."
STEPS_NUMBER = "How many noisy steps the run takes."
PRINTED_ADJACENCY = (
    "Certified lines hold for the adjacency named above. The printed line is paper 003's own "
    "claim; its lemma speaks of replace-one."
)
NO_ODDS = "No bound: no accountant here gives a finite ε for this run."
MAP = (
    "Every cell is one run like this one, with another first noise and another decay, or another "
    "share of the records in each step."
)
LADDER_EPSILON = "The ε that one release may spend."
SENSITIVITY = (
    "**Sensitivity Δ**: how far one person's difference can move the released numbers (L2 norm), "
    "in their own units. A count has Δ = 1 where a person is added or removed."
)
BUDGET = "What all the releases in the table may spend together, for example in one year."
NOISE = (
    "Either the budget is split over the releases by weight, and σ follows; or you type σ, and "
    "what is spent follows."
)
COMPOSITION = (
    "The rule by which the parts are added up again. **PLD** is exact for Gaussian noise and needs "
    "the least; **zCDP** adds up ρ; **basic** adds up ε and δ, and needs the most noise."
)
REGULAR = (
    "Instead of typing rows: 3 releases in every week, 52 times, are 156 rows, spread evenly. Each "
    "may be changed afterwards."
)
RELEASE_DATE = "The day on which the numbers are published."
RELEASE = "What is published, in your words."
WEIGHT = "How much of the budget it gets, relative to the others: 2 is twice as much as 1."
RELEASE_SIGMA = "Standard deviation of the Gaussian noise on every released number."
SPENT = "What the releases up to today have spent together, exactly."
LEFT = "The budget less what is spent by today."
TOTAL = "What all the releases in the table spend together, exactly."
EXHAUSTED = (
    "The day of the first further release that no longer fits, if the last one is repeated at the "
    "usual distance after the table ends. The budget may be spent before: see below the day."
)
OPACUS = (
    "Opacus counts noise in multiples of C and its decay in σ: γ = √R. Its own figure is by Rényi "
    "accounting, one record more or less; it is an upper bound like the one above. "
    f"{SAME_FIGURE}"
)
NO_OPACUS = (
    "Opacus has no accountant for batches of fixed size: it draws Poisson samples, or accounts as "
    "if it did. There is no equivalent call."
)
ACCOUNTANTS = (
    "Every way of adding up that this page knows, for the run as it is set: the later ones are "
    "older and looser. All of them are upper bounds that hold for the adjacency of the controls."
)
