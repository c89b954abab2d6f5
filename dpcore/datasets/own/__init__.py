"""The user's own table: its description says what its columns hold, never its records.

A description is data in a known form (`notation`); a day becomes a number of days since the first
that is possible.

A range is public: it says what is possible, and values outside are clipped to it. If it were read
off the records, one record could move every row, and no proof would hold. The outcomes are public
too: one that no record has stays one of them.

A record whose outcome is an empty field is blank, whatever its other fields hold: it counts as a
record and adds nothing to training. That is how one person's record is blanked in a file.
"""
