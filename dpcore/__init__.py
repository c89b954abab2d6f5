"""dpcore: what privacy costs on given data, what it buys, and whether a claim is true.

Importing this package loads nothing heavy: no torch, no pandas, and never streamlit.
"""

__version__ = "0.1.0"
