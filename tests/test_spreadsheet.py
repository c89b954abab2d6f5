"""No cell and no name of a column acts as a formula in a spreadsheet."""

import pandas as pd

from dpcore.spreadsheet import cell, csv


def test_a_table_taken_along_holds_no_formula():
    texts = ["=1+1", "+x", "-x", "@x", " =x", "\tx", "−1", "a=b", "a; =1;b-c;", None]
    wide = ["\uff1d1", "\uff0b1", "\uff0d1", "\uff201"]
    assert csv(pd.DataFrame({"=what": texts, "value": -1.5})).splitlines() == [
        "'=what,value",
        "'=1+1,-1.5",
        "'+x,-1.5",
        "'-x,-1.5",
        "'@x,-1.5",
        "' =x,-1.5",
        "'\tx,-1.5",
        "−1,-1.5",
        "a=b,-1.5",
        "a;' =1;b-c;,-1.5",
        ",-1.5",
    ]
    assert [cell(f"{end}=1") for end in ("a\n", "a\r", "\n")] == ["a\n'=1", "a\r'=1", "\n'=1"]
    assert csv(pd.DataFrame({"x": wide})).splitlines()[1:] == [f"'{text}" for text in wide]
    levels = pd.DataFrame({"level": pd.Categorical(["=a", "b"])})
    assert csv(levels).splitlines()[1:] == ["'=a", "b"]
