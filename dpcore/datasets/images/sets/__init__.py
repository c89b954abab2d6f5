"""One file a data set; each defines `SOURCE`."""
