"""One module a data set: its catalogue entry, how its file is written, how it is decoded."""
