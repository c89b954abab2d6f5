"""Paper 004 (Xiang, Yang and Li): noise shaped by the gradient."""

from __future__ import annotations

from functools import partial

from dpcore.systems.system import Family, Place, Runnable, Software, System, relative, sound

described = partial(System, paper="004", family=Family.DEEP)

SYSTEMS = (
    described(
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
    described(
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
