"""Explain the words on Plan to someone who meets them for the first time."""

from __future__ import annotations

PRESET = (
    "Settings printed in paper 003 (Zhang et al.), or taken from its tables, to start from. Any "
    "control may be changed afterwards. *Accountants* lists what each claims and what is certified "
    "for it."
)
CHART = (
    "Each line is one way to add up what the steps spend. A certified line holds for the adjacency "
    "above; lower is tighter. The printed line, if shown, is paper 003's claim of replace-one."
)
RDP = (
    "It adds up Rényi divergences of the steps, an upper bound that holds. PLD adds up the same "
    "noise more tightly, so that the same ε buys more."
)
PLD_NUMBER = (
    "Adds up the whole privacy loss distribution of the steps, every rounding charged to δ. It is "
    "an upper bound that holds, and the tightest one here."
)
OF_A_RELEASE = (
    "σ is the standard deviation of the Gaussian noise on every released number. It holds if one "
    "person's data move a release by at most Δ."
)
NOISE_NUMBER = "The least noise that keeps the budget, by the exact curve of Gaussian noise."
ALL_RELEASES = "What all these releases spend together, exactly."
PRINTED_NUMBER = (
    "Equations (3) and (4) and Lemma 3 of paper 003, exactly as printed. It is a claim, not a "
    "guarantee. The badges say whether it holds under replace-one, of which its lemma speaks. One "
    "is for batches drawn as in this run. One is for batches of fixed size, as the lemma has them."
)
FINDINGS = (
    "**Holds**: an accountant certifies that ε or less for exactly this noise. **Does not hold**: "
    "some data sets show more than that. **Not decided**: neither is known here. Each answer is "
    "for the neighbours and the batches named beside it. For others it may differ."
)
NOT_PROVED = (
    "A condition of this theorem is not met, or there is none. That does not make a number false."
)
OF_THE_LEMMA = "The paper's lemma speaks of batches of fixed size."
TOO_MANY = (
    "The data have {people} people, but the account counts {entries}: of fewer records a "
    "training costs a larger ε."
)
SPREAD = (
    "Spread: every entry gets a share of the budget. The noise is then the least that keeps it."
)
ALL_ENTRIES = "What all the entries spend together, whatever their order; an upper bound."
LEFT = "The budget less what all the entries spend together."
OF_BUDGET = "of {budget}"
ONE_MORE = "of {budget}; one more may add less than it costs alone"
BY_TODAY = "What the entries up to today have spent together."
ALONE = "Each by itself, all its times together. All together spend less than the sum of these."
MODEL = (
    "As Explore trains it, corrected. A tree counts with its pure ε, DP-GD with its Gaussian "
    "noise. Where (ε, δ) alone is proved, that δ is taken from the account's."
)
ONE_MODEL = (
    "The largest ε that one more model may have beside all entries, one method for each kind of "
    "proof. All together spend less than their sum, so it may be more than what is left."
)
LEARNED_FROM = "Learned from {records} ({title}), and judged on others."
LOSING = "Measuring what they lose"
NOT_AT_HAND = "{title} is not on this machine yet. Explore downloads it."
HOW_MANY = "How many people does it take? Lesson 3 shows what n costs at one ε"
EXAMPLE = "An example to begin with."
OTHER_UNIT = (
    "It can't be added to your account, in which another change counts as one person's data: {}, "
    "and here {}."
)
OTHER_BUDGET = "Your account is for n = {}: it adds this up at its own δ = {}."
