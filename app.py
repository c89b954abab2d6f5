"""The server: `pages/main.py` for every session, behind a door for this machine's pages only.

`streamlit run app.py` and `uvicorn app:app` both start it.
"""

import streamlit as st
from starlette.middleware import Middleware

from pages.shared import leaving
from pages.shared.door import Door

app = st.App("pages/main.py", middleware=[Middleware(Door)], lifespan=leaving.watched)
