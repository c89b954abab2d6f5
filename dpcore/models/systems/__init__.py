"""One file a system of the survey; each defines `MODEL` and is found by the register."""
