"""The command `epsilon-explorer`: the app, started from any folder, with Streamlit's options."""

from __future__ import annotations

import sys
from pathlib import Path

from dpcore.errors import MissingPackage, naming_extras

APP = Path(__file__).parents[1] / "app.py"


def main() -> None:
    """Run the app as `streamlit run app.py` does, with the options of this command after it."""
    try:
        with naming_extras():
            from streamlit.web import cli
    except MissingPackage as error:
        print(error, file=sys.stderr)
        raise SystemExit(2) from None
    cli.main(["run", str(APP), *sys.argv[1:]], prog_name="epsilon-explorer")
