"""The numbers of a page as command lines and Python that reproduce them."""
