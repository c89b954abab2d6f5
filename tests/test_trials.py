"""A small slice of the trials in `benchmarks.trials`, the same every time; and they can fail."""

import random
import sys
from functools import partial

import pytest

from benchmarks.trials import commands, files, links, published
from benchmarks.trials.trial import Limits, run_in_fork
from dpcore.errors import InvalidInput

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="trials are judged by /proc")


@pytest.mark.slow("trains models")
def test_command_lines_are_answered_or_refused_in_one_sentence():
    tally = commands.run_trials(40, seed=1)
    assert tally.failures == []
    assert tally.counts["refused"] > 20


@pytest.mark.slow("trains models")
def test_files_are_read_or_refused_in_whole_sentences():
    tally = files.run_trials(80, seed=1, limits=Limits(seconds=60.0, mebibytes=1_024))
    assert tally.failures == []
    assert min(tally.counts["read"], tally.counts["refused"]) > 5


@pytest.mark.slow("trains models")
def test_altered_files_in_the_form_of_published_ones_are_read_or_refused():
    verdicts = set()
    for number in range(160):
        draw, name = random.Random(number), published.SETS[number % len(published.SETS)]
        try:
            published.altered(draw, name, partial(files.damaged, draw))
            verdicts.add((name, "read"))
        except InvalidInput:
            verdicts.add((name, "refused"))
    assert len(verdicts) == 2 * len(published.SETS)


@pytest.mark.slow("trains models")
def test_links_bring_no_error_page_and_no_link():
    tally = links.run_trials(8, seed=1)
    assert tally.failures == []
    assert tally.counts["warned"] > 4


@pytest.mark.slow("starts processes")
def test_trials_see_an_infinity_and_too_much_memory():
    def infinite():
        print("epsilon = inf")
        return 0

    def starved():
        return len(b"x" * 2**31) * 0

    assert "inf" in commands.fault(["sigma"], run_in_fork(infinite, Limits()))
    assert "MemoryError" in files.fault(run_in_fork(starved, Limits(mebibytes=128)))


def test_trials_see_a_link():
    assert links.live("The link asks for “https://evil.example/login”.")
    assert links.live("from 0 to 1 www.evil.example")
    assert not links.live("The link asks for “`https://evil.example/login`”.")
