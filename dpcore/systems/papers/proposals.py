"""What four papers propose, beside what they compare it with.

- 000 (Ding et al.): OPERA, GRPUA and their baselines.
- 002 (Fukuchi, Tran and Sakuma): input perturbation and its baselines.
- 003 (Zhang et al.): noise that shrinks while a network learns, accounted by tCDP.
- 004 (Xiang, Yang and Li): noise shaped by the gradient.
"""

from __future__ import annotations

from functools import partial

from dpcore.accounting.paper_003 import BASELINE, CLAIM
from dpcore.guarantee import Status
from dpcore.systems.system import (
    ClaimVerdict,
    Family,
    Place,
    Runnable,
    Software,
    System,
    relative,
    sound,
)

_of_paper_000 = partial(System, paper="000", family=Family.ERM)

PAPER_000 = (
    _of_paper_000(
        key="opera",
        title="OPERA",
        section="IV, Algorithm 1",
        source="Ding et al.",
        in_short="Holds; its gain of 1/ε only as ε → 0.",
        is_main=True,
        what="Trains for a fixed number of steps and blurs the finished weights once, with just "
        "the noise needed.",
        runs=(Runnable(Place.EXPLORE, "opera"),),
    ),
    _of_paper_000(
        key="grpua",
        title="GRPUA",
        section="IV, Algorithm 2",
        source="Ding et al.",
        in_plain="Claimed is a small ε in all, about 1 for 1 000 records. The noise is far too "
        "small for what one record can change: there the true ε is in the millions.",
        in_short="Fails: noise at least n times too small for n records.",
        is_main=True,
        what="Trains in very many small steps on one random record each, and blurs every step.",
        breaks=(
            "The query n∇f can move by 2nL when one record is replaced, and its noise is sized "
            "for L. At n = 1 000 the true ε is in the millions where about 1 is claimed.",
            "Its noise would do for the query ∇f: ε = 0.25 there, at δ = 0.001. Algorithm 2, "
            "Theorem 7 and Theorem 8 all have n∇f.",
        ),
        runs=(Runnable(Place.EXPLORE, "grpua"),),
    ),
    _of_paper_000(
        key="grpua-network",
        title="GRPUA on a neural network",
        section="V-D",
        source="Ding et al.",
        family=Family.DEEP,
        in_plain="Claimed is the same small ε for a network. The noise is too small for the same "
        "reasons as GRPUA's, and no ε is proved.",
        in_short="Fails as GRPUA does.",
        what="The same small noisy steps for a network, with each record's gradient cut to a "
        "limit.",
        claim="The total of Theorem 7 with sensitivity C = 1.",
        verdict=ClaimVerdict(Status.CLAIM_NOT_SUPPORTED, "None, for the reasons given at GRPUA."),
        runs=(
            sound(
                Place.TRAIN, "network-000", note="DP-SGD with an accountant for exactly its noise."
            ),
        ),
    ),
    _of_paper_000(
        key="outpert",
        title="OutPert",
        section="V, baseline",
        source="Zhang, Zheng, Mou and Wang 2017",
        references=(10,),
        in_short="Holds for ε below 1.",
        what="As OPERA, with noise by the classical formula.",
        runs=(Runnable(Place.EXPLORE, "outpert"),),
    ),
    _of_paper_000(
        key="sgdpert",
        title="SgdPert in paper 000",
        section="V, baseline",
        source="Ding et al. 2020, after Bassily, Smith and Thakurta 2014",
        references=(12,),
        works=("000", "000-12"),
        in_plain="Claimed is a small ε in all, by paper 000's own count. The noise is too small "
        "for the same reasons as GRPUA's, and no ε is proved for this form.",
        in_short="Fails in this form.",
        what="As GRPUA, with noise by the classical formula.",
        runs=(Runnable(Place.EXPLORE, "sgdpert"),),
    ),
    _of_paper_000(
        key="analytic-gaussian",
        title="Analytic Gaussian mechanism",
        section="III, Theorem 2",
        source="Balle and Wang 2018",
        references=(13,),
        family=Family.MECHANISM,
        in_short="Holds for every ε above 0.",
        what="Adds bell-shaped noise, just as wide as (ε, δ) needs and no wider, for every ε.",
        claim="(ε, δ) for every ε > 0, with the least σ that gives it.",
        verdict=ClaimVerdict(
            Status.PROVED, "(ε, δ) exactly, by the Gaussian distribution function."
        ),
    ),
)


_of_paper_002 = partial(System, paper="002", family=Family.ERM)

PAPER_002 = (
    _of_paper_002(
        key="input-perturbation",
        title="Input perturbation",
        section="3, Algorithm 2 and Theorem 1",
        source="Fukuchi, Tran and Sakuma 2017",
        in_plain="Claimed are ε and δ for the model that learns from blurred records. Its formulas "
        "are lost in the text at hand. What is left of the proof takes that model as fixed, "
        "though the blur has made it. So no ε is proved for the model.",
        in_short="Not proved: Theorem 1 treats a noisy model as fixed.",
        is_main=True,
        what="Every person blurs their own record before handing it in; the model learns from the "
        "blurred records.",
        claim="(ε, δ) for the model with high probability; excess risk of order 1/n.",
        verdict=ClaimVerdict(
            Status.CLAIM_NOT_SUPPORTED,
            "None for the model. The tail bound of Theorem 1 takes the minimiser for a constant, "
            "though it depends on the noise. The formulas themselves are lost in the text at hand.",
        ),
        runs=(
            sound(
                Place.EXPLORE,
                "inputpert",
                note="Each person blurs x xᵀ and y x; the sums are one Gaussian mechanism.",
            ),
        ),
    ),
    _of_paper_002(
        key="input-perturbation-local",
        title="Input perturbation: the single message",
        section="3, Algorithm 1 and Corollary 1",
        source="Fukuchi, Tran and Sakuma 2017",
        in_short="Holds for a single message whose own ε is below 1.",
        what="What a person's blurred record gives away to whoever receives it.",
        claim="A local (ε, δ) for every message, about √n times the ε of the model.",
        breaks=(
            "The formula behind it holds below ε = 1 only. The true local ε grows far above √n "
            "times the model's: to 12 times that at n = 100 000.",
        ),
        runs=(Runnable(Place.EXPLORE, "inputpert"),),
    ),
    _of_paper_002(
        key="objective-gaussian",
        title="ObjGauss: objective perturbation, Gaussian",
        section="4, baseline",
        source="Kifer, Smith and Thakurta 2012",
        in_short="Holds only for the exact minimum, which no solver returns.",
        works=("002-kifer",),
        what="Tilts what training minimises by a random amount of bell-shaped noise, then fits.",
        runs=(Runnable(Place.EXPLORE, "objpert"),),
    ),
    _of_paper_002(
        key="output-laplace",
        title="Output: output perturbation, Laplace",
        section="4, baseline",
        source="Chaudhuri, Monteleoni and Sarwate 2011",
        in_short="Holds only for the exact minimum, which no solver returns.",
        works=("002-chaudhuri",),
        what="Fits a regularised model and blurs its weights once, without any δ.",
        runs=(Runnable(Place.EXPLORE, "outpert_pure"),),
    ),
)


_of_paper_003 = partial(System, paper="003", family=Family.DEEP)

PAPER_003 = (
    _of_paper_003(
        key="adaptive-tcdp",
        title="Adaptive private deep learning",
        section="4, Algorithm 1",
        source="Zhang et al.",
        is_main=True,
        what="Trains a network with noise that shrinks from step to step, so that late steps are "
        "finer.",
        in_plain="Claimed are ε = 2 and ε = 8 for networks that read chest radiographs. The paper "
        "can be read in two ways. Its algorithm adds the noise to the mean of 100 gradients. Then "
        "both hold by far (0.0034 and 0.017), with noise that drowns the gradient. Its equations "
        "count the noise on the sum. Then ε = 8 is at least 27, if the noise falls at every step; "
        "ε = 2 holds where batches are drawn by chance. With noise that falls once an epoch, "
        "ε = 2 holds, and ε = 8 where batches are drawn by chance.",
        in_short=CLAIM,
        claim="ε = 2 and 8 for chest radiographs, by equations 3 and 4.",
        breaks=(
            "Algorithm 1 adds noise of σ_t to the mean of s gradients, which moves by 2C/s. "
            "Equations (3) and (4) have noise of σ_t on their sum, and count that it moves by C.",
            "On the sum, ε = 8 is at least 27 with one record blanked, if the noise falls at "
            "every step. With one replaced it is at least 29 on Poisson batches, and 146 on "
            "batches of fixed size (δ = 10⁻⁴).",
        ),
        runs=(
            Runnable(Place.PLAN, "chexpert-8"),
            sound(
                Place.TRAIN,
                "decaying",
                note="The same shrinking noise, with an accountant for exactly that.",
            ),
        ),
    ),
    _of_paper_003(
        key="tcdp-amplification",
        title="Amplification by sampling under tCDP",
        section="3, Lemmas 3 and 4",
        source="Bun, Dwork, Rothblum and Steinke 2018",
        references=(4,),
        family=Family.MECHANISM,
        in_short="Holds only under conditions that paper 003 states; with noise on the sum, its "
        "runs at ε = 8 break them.",
        what="Counts how much less is given away when each step sees only a few records drawn at "
        "random.",
        claim="(13 s²ρ, ln(1/s)/(4ρ))-tCDP for batches of a share s.",
        verdict=ClaimVerdict(
            Status.CONDITIONS_NOT_MET,
            "Only for ρ and s up to 0.1, ω large enough, and one record replaced. The paper "
            "states the limits. With noise on the mean, as in Algorithm 1, its runs keep them. "
            "With noise on the sum, as in equations (3) and (4), its runs at ε = 8 break them.",
        ),
        breaks=(
            "Where it holds, its constant 13 makes ε about 3.5 times larger than exact accounting.",
        ),
        runs=(
            relative(
                Place.PLAN,
                "chexpert",
                note="Every accountant side by side, each with its conditions.",
            ),
        ),
    ),
    _of_paper_003(
        key="dpsgd-003",
        title="DPSGD, the baseline",
        section="5, baseline",
        source="Abadi et al. 2016",
        references=(1,),
        what="Trains a network with the same noise at every step.",
        in_short=BASELINE,
        claim="ε = 1.19, 3.01 and 7.10 on MNIST by the moments accountant.",
        verdict=ClaimVerdict(
            Status.PROVED,
            "The three ε come from a tutorial. For its settings PLD certifies ε = 0.87, 2.39 and "
            "5.65 (Poisson batches, one record blanked out, δ = 10⁻⁵).",
        ),
        software=(
            Software("tensorflow-privacy tutorials", note="Their table holds these three ε."),
        ),
        runs=(Runnable(Place.TRAIN, "dp-sgd"),),
    ),
)


_of_paper_004 = partial(System, paper="004", family=Family.DEEP)

PAPER_004 = (
    _of_paper_004(
        key="optimised-noise",
        title="Optimised additive noise",
        section="IV, Algorithm 1",
        source="Xiang, Yang and Li",
        in_plain="Claimed is an ε of one's choice for each step. The shape of the noise tells "
        "about the records that made it, and no ε is known for that. How much noise there is can "
        "be read in two ways. On the sum of a batch it is too little: a step said to cost ε = 1 "
        "costs up to 6.6. On the mean, as the algorithm prints it, there is ample.",
        in_short="Fails: private records shape its noise.",
        is_main=True,
        what="Gives more noise to the weights that matter less, so that a network learns better at "
        "the same ε.",
        claim="(ε, δ) for each step by equation (8), and in all by equation (12).",
        breaks=(
            "The gradient of all private records shapes the noise, so the noise tells about them, "
            "in either reading.",
            "Equation (9) leaves a term out of the moment. With the noise on the sum, a step at "
            "(1, 10⁻⁵) has a true ε of up to 6.6. Algorithm 1, line 12, adds it to the mean. "
            "Of a lot of 1 000 such a step would then cost 0.003.",
            "Solved exactly, equation (11) gives every weight the same noise. Then no record "
            "shapes it, nothing is gained, and on the mean the claim holds.",
        ),
        runs=(
            Runnable(Place.TRAIN, "published-004"),
            sound(
                Place.TRAIN,
                "scaled",
                note="Clipping and noise scaled alike, by what was released before.",
            ),
        ),
    ),
    _of_paper_004(
        key="gaussian-004",
        title="Gaussian noise with the moments accountant",
        section="V-C, comparison",
        source="Abadi et al. 2016",
        references=(8,),
        what="Trains a network with the same noise for every weight, and adds up closely what the "
        "steps give away.",
        claim="(ε, δ) by the moments accountant.",
        software=(
            Software("opacus"),
            Software("tensorflow-privacy"),
            Software("dp-accounting", note="The accountant alone."),
        ),
        runs=(
            Runnable(Place.TRAIN, "dp-sgd"),
            relative(
                Place.PLAN,
                "mnist-3.01-dpsgd",
                note="Rényi accounting, the accountant's modern form, beside the tighter PLD.",
            ),
        ),
    ),
)
