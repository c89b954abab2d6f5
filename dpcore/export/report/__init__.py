"""One model at one ε as a report of a page or two: facts first, then one file of HTML."""
