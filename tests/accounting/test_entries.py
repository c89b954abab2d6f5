"""The account goes through a link and a file and comes back; what is hostile is refused."""

from dataclasses import replace

import pytest

from dpcore.accounting.entries import (
    COLUMNS,
    MAX_ENTRIES,
    MAX_LETTERS,
    AccountEntry,
    from_csv,
    from_link,
    to_csv,
    to_link,
)
from dpcore.errors import InvalidInput
from dpcore.guarantee import Adjacency
from tests.accounting.test_account import BEFORE, LAPLACE, MIXES, TRAINING, TREES, WEEKLY

ALL = (
    *MIXES["all kinds"],
    replace(TRAINING, sampling="fixed", noise=None, share=0.3),
    replace(WEEKLY, noise=None, epsilon=0.123456789012345),
    replace(LAPLACE, epsilon=None, share=2.0),
    replace(BEFORE, adjacency=Adjacency.REPLACE_ONE),
    replace(TREES, epsilon=None, share=2.0),
)


def test_an_account_goes_through_a_link_and_comes_back():
    assert from_link(to_link(ALL)) == ALL
    assert from_link("") == ()
    assert to_link([TRAINING]) == "training~Model~4~2026-01-15~quarter~2~~10000~256~10~poisson"
    (odd,) = from_link(to_link([replace(WEEKLY, what="a; b ~ c")]))
    assert odd.what == "a b c"


def test_an_account_goes_through_a_file_and_comes_back():
    assert from_csv(to_csv(ALL)) == ALL
    assert from_csv(to_csv(())) == ()
    assert to_csv(()).strip().split(",") == list(COLUMNS)
    fewer = "what,kind,noise,count\nA,release,3,7\n"
    assert from_csv(f"\ufeff{fewer}") == (AccountEntry("release", "A", 7, noise=3.0),)
    (row,) = from_csv(to_csv([replace(WEEKLY, what="=HYPERLINK(1)")]))
    assert row.what == "HYPERLINK(1)"
    for formula in ("- =1+1", "\uff1d1+1", "\uff20 =1+1"):
        (row,) = from_csv(to_csv([replace(WEEKLY, what=formula)]))
        assert row.what == "1+1"


def test_a_name_holds_no_sign_that_is_not_seen():
    hostile = "\u202e\ufeffA\x00\r\nBEGIN:VEVENT\u2028\x85B\u200b"
    assert replace(WEEKLY, what=hostile).what == "A BEGIN:VEVENT B"
    assert replace(WEEKLY, what="\u200b\x00").what == replace(WEEKLY, what="").what


FILE, LINK = from_csv, from_link


@pytest.mark.parametrize(
    ("read", "text", "sentence"),
    [
        (LINK, "<script>", "Entry 1: kind is '<script>'"),
        (LINK, "release~A~2~2026-13-01~week~3", "Entry 1: first day is '2026-13-01'"),
        (LINK, "release~A~2~2026-01-01~week~lots", "Entry 1: noise is 'lots'"),
        (LINK, "release~A~1e99~2026-01-01~week~3", "Entry 1: how many is '1e99'"),
        (LINK, "release~A~1~2026-01-01~week~3;release~A", "Entry 2: noise is empty"),
        (LINK, "spent~A~2026-01-01~1~0~~~", "Entry 1: it has 7 cells"),
        (LINK, ";" * MAX_ENTRIES, f"The account has {MAX_ENTRIES + 1} entries"),
        (LINK, "x" * (MAX_LETTERS + 1), "The account has 16 001 letters"),
        (FILE, "kind,nois\nrelease,3\n", "column is 'nois'"),
        (FILE, "kind,noise\nrelease,0\n", "Row 1: noise is 0"),
        (FILE, "kind,noise\nrelease,3\nrelease,3,4\n", "Row 2: it has more cells"),
        (FILE, "kind,noise\n,3\n", "Row 1: kind is 'empty'"),
        (FILE, 'kind,noise\n"release,3\n', "The file is no table (CSV)"),
        (FILE, "kind\n" + "release\n" * (MAX_ENTRIES + 1), "The account has 401 entries"),
    ],
)
def test_a_hostile_link_or_file_is_refused(read, text, sentence):
    with pytest.raises(InvalidInput) as refused:
        read(text)
    assert str(refused.value).startswith(sentence)
