"""The user's own table: its columns' values are described in words, never read off the records.

A description has one line a column, such as

    age: 18 to 90 years
    smoker: one of no, yes
    bmi: 15 to 50 kg/m²; unknown: NA
    visit: 2015-01-01 to 2024-12-31
    predict progression: 0 to 350

and may say what one person is (`statements`). A day becomes a number of days since the first that
is possible.

A range is public: it says what is possible, and values outside are clipped to it. If it were read
off the records, one record could move every row, and no proof would hold. The outcomes are public
too: one that no record has stays one of them.

A record whose outcome is an empty field is blank, whatever its other fields hold: it counts as a
record and adds nothing to training. That is how one person's record is blanked in a file.
"""
