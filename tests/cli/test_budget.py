"""What a run costs, what a budget buys and how it is divided, on the command line."""

import math

import pytest

from tests.cli.commands import parsed, refused, said

RUN = "epsilon --sigma 1.0 --sampling-rate 0.01 --steps 1000 --delta 1e-5"
PAPER = "epsilon --sigma 2.8 --sampling-rate 0.01 --delta 1e-4 --decay 0.99"
PLAN = "plan --delta 1e-5 --records 10000"


def test_sigma_is_absolute_and_only_its_ratio_to_the_clipping_norm_counts(capsys):
    plain = parsed(capsys, *RUN.split())
    wide = RUN.replace("--sigma 1.0", "--sigma 8 --sensitivity 8")
    assert parsed(capsys, *wide.split())["epsilon"] == plain["epsilon"]
    assert parsed(capsys, *wide.split())["least_noise_multiplier"] == 1.0


def test_records_and_batch_say_the_same_as_a_rate(capsys):
    rate = parsed(capsys, *RUN.replace("--steps 1000", "--epochs 10").split())
    counts = RUN.replace("--sampling-rate 0.01 --steps 1000", "--records 50000 --batch 500")
    assert parsed(capsys, *counts.split(), "--epochs", "10") == rate
    assert rate == parsed(capsys, *RUN.split())


@pytest.mark.parametrize(
    ("rate", "per_epoch"),
    [("0.01", 100), ("0.3", 4), ("0.7", 2), ("1", 1), ("0.0007", 1429), ("1e-6", 10**6)],
)
def test_an_epoch_has_steps_enough_for_each_record_once(rate, per_epoch, capsys):
    line = f"epsilon --sigma 5 --delta 1e-5 --sampling-rate {rate} --epochs 2 --accountant rdp"
    assert parsed(capsys, *line.split())["steps"] == 2 * per_epoch


@pytest.mark.parametrize(
    "line",
    [
        "epsilon --sigma 2 --delta 1e-5 --batch 64 --epochs 3",
        "plan --solve sigma --epsilon 1 --delta 1e-5 --batch 64 --epochs 3",
        "risk --sigma 2 --delta 1e-5 --batch 64 --epochs 3",
    ],
)
def test_under_add_remove_a_public_size_stands_for_the_records(line, capsys):
    blanked = parsed(capsys, *f"{line} --records 513".split())
    assert (blanked["adjacency"], blanked["public_size"]) == ("zero-out", None)
    removed = parsed(capsys, *f"{line} --adjacency add-remove --public-size 513".split())
    assert (removed["adjacency"], removed["public_size"]) == ("add-remove", 513)
    assert removed["epsilon"] == blanked["epsilon"]
    if "plan" in line:
        assert removed["sigma"] == blanked["sigma"]


def test_decay_multiplies_the_variance(capsys):
    by_step = parsed(capsys, *f"{PAPER} --steps 3 --decay-every step".split())
    sigmas = [2.8, 2.8 * math.sqrt(0.99), 2.8 * 0.99]
    listed = "epsilon --sampling-rate 0.01 --delta 1e-4 --sigma " + ",".join(map(str, sigmas))
    assert parsed(capsys, *listed.split())["epsilon"] == pytest.approx(by_step["epsilon"], rel=1e-9)
    assert by_step["least_noise_multiplier"] == pytest.approx(2.8 * 0.99)
    # Without a word, the decay that costs more is meant.
    assert parsed(capsys, *f"{PAPER} --steps 3".split()) == by_step


def test_a_plan_for_epochs_counts_whole_ones(capsys):
    line = f"{PLAN} --batch 100 --sigma 1.3 --epsilon 1.5 --solve"
    result = parsed(capsys, *line.split(), "epochs")
    steps = parsed(capsys, *line.split(), "steps")["steps"]
    assert result["epochs"] == steps // 100
    assert result["settings"]["steps"] == 100 * result["epochs"]
    assert result["epsilon"] <= 1.5


@pytest.mark.parametrize("unknown", ["steps", "epochs", "batch"])
def test_what_cannot_be_reached_is_null_and_no_error(unknown, capsys):
    line = f"{PLAN} --solve {unknown} --sigma 0.3 --epsilon 1e-4 --accountant rdp"
    line += " --steps 10" if unknown == "batch" else " --batch 100"
    result = parsed(capsys, *line.split())
    assert (result[unknown], result["relative_error"]) == (None, None)
    assert said(capsys, *line.split()).startswith(f"{unknown} = (not reachable)\n")


def test_a_plan_for_epsilon_is_the_cost_of_the_run(capsys):
    line = f"{PLAN} --solve epsilon --batch 100 --steps 1000 --sigma 1"
    assert parsed(capsys, *line.split()) == parsed(capsys, *RUN.split())


RISKS = ("--right-of-100 55", "--found-of-100 5 --at-false-alarms 0.01")


@pytest.mark.parametrize("risk", RISKS)
def test_a_plan_for_a_risk_keeps_it_with_less_noise_than_an_epsilon_does(risk, capsys):
    line = f"{PLAN} --solve sigma --batch 100 --steps 500 {risk}"
    result = parsed(capsys, *line.split())
    run = f"--records 10000 --batch 100 --steps 500 --delta 1e-5 --sigma {result['sigma']}"
    reached = parsed(capsys, "risk", *run.split())["exact"]
    if "found_of_100" in result["target"]:
        assert reached["tpr"] == pytest.approx(0.05, rel=1e-3)
        assert reached["tpr"] <= 0.05
    else:
        assert reached["advantage"] == pytest.approx(0.1, rel=1e-3)
        assert reached["advantage"] <= 0.1
    assert result["epsilon"] == parsed(capsys, "epsilon", *run.split())["epsilon"]
    through = result["through_budget"]
    assert result["saves"] == pytest.approx(through["sigma"] / result["sigma"])
    assert result["saves"] > 1.3
    line = f"{PLAN} --solve sigma --batch 100 --steps 500 --epsilon {through['epsilon']}"
    assert parsed(capsys, *line.split())["sigma"] == through["sigma"]


def test_mu_stands_beside_epsilon(capsys):
    run = "epsilon --sigma 2 --steps 16 --delta 1e-5"
    assert parsed(capsys, *run.split())["mu"] == pytest.approx(2.0)
    assert "mu = 2." in said(capsys, *run.split())
    line = "epsilon --sigma 4 --delta 1e-5 --sensitivity 2"
    release = parsed(capsys, *line.split())
    assert release["mu"] == pytest.approx(0.5)


def test_a_split_is_in_the_units_of_the_query_and_rounds_to_the_safe_side(capsys):
    line = "split --weights 1,1,2,4 --epsilon 3 --delta 1e-5"
    wide = parsed(capsys, *line.split(), "--sensitivity", "5")["sigma"]
    unit = parsed(capsys, *line.split())["sigma"]
    assert wide == pytest.approx([5.0 * sigma for sigma in unit])
    line = "split --releases 2 --epsilon 1.0000004 --delta 1.0000004e-5"
    assert "δ = 1.0000004 × 10⁻⁵, of 1.0000004 allowed" in said(capsys, *line.split())


HOSTILE = ("nan", "inf", "-inf", "-1", "1e400", "", " ", "ε", "0", "9" * 400, "\udcff")


@pytest.mark.parametrize(
    ("line", "field"),
    [
        ("epsilon --delta 1e-5 --steps 3 --sigma", "sigma"),
        ("epsilon --sigma 1 --steps 3 --delta", "delta"),
        ("epsilon --sigma 1 --delta 1e-5 --steps 3 --sensitivity", "sensitivity"),
        ("epsilon --sigma 1 --delta 1e-5 --steps 3 --sampling-rate", "sampling-rate"),
        ("epsilon --sigma 1 --delta 1e-5 --steps 3 --batch 5 --records", "records"),
        ("epsilon --sigma 1 --delta 1e-5 --steps 3 --records 50 --batch", "batch"),
        (
            "epsilon --sigma 1 --delta 1e-5 --steps 3 --adjacency add-remove --batch 5 "
            "--public-size",
            "public-size",
        ),
        ("epsilon --sigma 1 --delta 1e-5 --steps", "steps"),
        ("epsilon --sigma 1 --delta 1e-5 --sampling-rate 0.1 --epochs", "epochs"),
        ("epsilon --sigma 1 --delta 1e-5 --steps 3 --decay", "decay"),
        ("epsilon --sigma 1 --delta 1e-5 --steps 3 --decay 0.9 --decay-every", "decay-every"),
        ("epsilon --sigma 1 --delta 1e-5 --steps 3 --last-sigma", "last-sigma"),
        ("epsilon --sigma 1 --delta 1e-5 --steps 3 --sampling", "sampling"),
        ("epsilon --sigma 1 --delta 1e-5 --steps 3 --adjacency", "adjacency"),
        ("epsilon --sigma 1 --delta 1e-5 --steps 3 --accountant", "accountant"),
        ("epsilon --sigma 1 --delta 1e-5 --steps 3 --mechanism", "mechanism"),
        ("plan --sigma 1 --delta 1e-5 --steps 3 --epsilon 1 --solve", "solve"),
        ("plan --solve sigma --delta 1e-5 --steps 3 --epsilon", "epsilon"),
        ("split --delta 1e-5 --releases 2 --epsilon", "epsilon"),
        ("split --epsilon 1 --releases 2 --delta", "delta"),
        ("split --epsilon 1 --delta 1e-5 --releases", "releases"),
        ("split --epsilon 1 --delta 1e-5 --weights", "weights"),
        ("split --epsilon 1 --delta 1e-5 --releases 2 --sensitivity", "sensitivity"),
        ("split --epsilon 1 --delta 1e-5 --releases 2 --accountant", "composition"),
    ],
)
def test_a_hostile_value_is_refused_in_one_sentence(line, field, capsys):
    for value in HOSTILE:
        sentence = refused(capsys, *line.split()[:-1], f"{line.split()[-1]}={value}")
        assert field in sentence, ascii(value)[:12]


SIZED = "epsilon --sigma 1 --delta 1e-5 --steps 3 --batch 5"
BAD: list[tuple[str, tuple[str, ...]]] = [
    (f"{RUN} --accountant magic", ("accountant", "'magic'", "pld, rdp")),
    (f"{RUN} --mechanism rdp", ("mechanism", "'rdp'", "--accountant")),
    (f"{RUN} --sampling none", ("sampling", "'none'", "poisson or fixed")),
    (f"{RUN} --sampling fixed --adjacency add-remove", ("no theorem", "add-remove")),
    (f"{SIZED} --adjacency add-remove --records 10", ("records", "'10'", "--public-size")),
    (f"{SIZED} --public-size 10", ("public-size", "'10'", "add-remove")),
    (f"{SIZED} --adjacency add-remove", ("public-size is missing", "--public-size")),
    (f"{SIZED} --adjacency add-remove --public-size 0", ("public-size", "'0'", "at least 1")),
    (f"{SIZED} --adjacency add-remove --public-size 4", ("batch", "'5'", "at most 4")),
    (f"{RUN} --adjacency add-remove --public-size 9", ("sampling-rate", "records")),
    (f"{RUN} --adjacency replace-one --accountant rdp", ("Rényi", "no theorem", "replace-one")),
    (f"{RUN} --sampling poisson --accountant tcdp", ("tCDP", "no theorem", "Poisson")),
    (f"{RUN} --epochs 3", ("steps and epochs",)),
    (f"{RUN} --records 100 --batch 10", ("sampling-rate", "records")),
    (f"{RUN} --decay-every epoch", ("decay-every", "--decay")),
    (f"{RUN} --decay 0.5", ("decay", "0.5", "1e-150")),
    (f"{RUN} --decay 0.9 --decay-every month", ("decay-every", "'month'", "step, epoch")),
    (f"{RUN} --last-sigma 2 --decay 0.9", ("decay", "last-sigma")),
    ("epsilon --sigma 1 --delta 1e-5 --sampling-rate 0.1", ("steps", "--epochs")),
    ("epsilon --sigma 1 --delta 1e-5 --sampling poisson", ("sampling", "'poisson'", "none")),
    ("epsilon --sigma 1 --delta 1e-5 --records 10 --steps 2", ("batch is missing",)),
    ("epsilon --sigma 1 --delta 1e-5 --batch 10 --steps 2", ("records is missing",)),
    ("epsilon --sigma 1 --delta 1e-5 --records 10 --batch 11 --steps 2", ("batch", "11", "10")),
    ("epsilon --sigma 1 --delta 1e-5 --steps 10000001", ("steps", "10 000 000")),
    (
        "epsilon --sigma 1 --delta 1e-5 --sampling-rate 1e-9 --epochs 1",
        ("epochs", "10 000 000 steps", "1 000 000 000"),
    ),
    ("epsilon --sigma 1 --last-sigma 2 --steps 200000 --delta 1e-5", ("200 000", "100 000")),
    ("epsilon --sigma 1,2 --steps 3 --delta 1e-5", ("steps", "'3'", "2, one for each σ")),
    ("epsilon --sigma 1,2 --epochs 3 --delta 1e-5 --sampling-rate 0.5", ("epochs", "list of σ")),
    ("epsilon --sigma 1,,2 --steps 3 --delta 1e-5", ("sigma", "''")),
    ("epsilon --sigma 1,2 --delta 1e-5", ("sigma", "'1,2'")),
    ("plan --epsilon 1", ("--solve",)),
    (f"{PLAN} --solve sigma --batch 10 --steps 5", ("epsilon is missing",)),
    (f"{PLAN} --solve sigma --batch 10 --steps 5 --epsilon 0", ("epsilon", "0", "10⁻¹²")),
    (f"{PLAN} --solve sigma --batch 10 --steps 5 --epsilon 1 --sigma 2", ("sigma", "leave it")),
    (f"{PLAN} --solve batch --epochs 5 --epsilon 1 --sigma 2", ("epochs", "--steps")),
    (
        f"{PLAN} --solve batch --steps 5 --epsilon 1 --sigma 2 --decay 0.9 --decay-every epoch",
        ("decay-every", "epoch"),
    ),
    (
        "plan --solve batch --sampling-rate 0.1 --steps 5 --epsilon 1 --sigma 2 --delta 1e-5",
        ("sampling-rate",),
    ),
    ("plan --solve batch --steps 5 --epsilon 1 --sigma 2 --delta 1e-5", ("records is missing",)),
    (f"{PLAN} --solve steps --batch 10 --steps 5 --epsilon 1 --sigma 2", ("steps", "solved for")),
    (f"{PLAN} --solve steps --batch 10 --epsilon 1", ("sigma is missing",)),
    (f"{PLAN} --solve epsilon --batch 10 --steps 5 --epsilon 1 --sigma 1", ("epsilon", "leave it")),
    (f"{PLAN} --solve sigma --batch 10 --steps 5 --epsilon 1 --last-sigma 1", ("last-sigma",)),
    (
        f"{PLAN} --solve sigma --batch 10 --steps 5 --epsilon 1 --accountant gdp",
        ("Gaussian DP", "no theorem"),
    ),
    (f"{PLAN} --solve sigma --right-of-100 50", ("right of 100 is 50", "above 50")),
    (f"{PLAN} --solve sigma --right-of-100 55 --epsilon 1", ("epsilon", "risk", "leave it")),
    (f"{PLAN} --solve sigma --found-of-100 5", ("found of 100", "false alarms", "one of them")),
    ("plan --solve delta --right-of-100 55 --sigma 3", ("'delta'", "does not depend on δ")),
    (
        f"{PLAN} --solve epsilon --batch 9 --steps 5 --right-of-100 55 --sigma 3",
        ("sigma", "leave it"),
    ),
    ("split --epsilon 1 --delta 1e-5", ("releases", "weights", "exactly one")),
    ("split --epsilon 1 --delta 1e-5 --releases 2 --weights 1,2", ("exactly one",)),
    ("split --epsilon 1 --delta 1e-5 --weights 1,0", ("weights", "0", "above 0")),
    ("split --epsilon 1 --delta 1e-5 --releases 20000", ("releases", "10 000")),
]


@pytest.mark.parametrize(("line", "words"), BAD, ids=[line for line, _ in BAD])
def test_bad_input_is_refused_in_one_sentence(line, words, capsys):
    sentence = refused(capsys, *line.split())
    assert all(word in sentence for word in words), sentence
