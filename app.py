"""The server: `main.py` for every session, behind a door that lets in this machine's pages only.

`streamlit run app.py` and `uvicorn app:app` both start it.
"""

import streamlit as st
from starlette.middleware import Middleware

from app_pages import leaving
from app_pages.door import Door

app = st.App("main.py", middleware=[Middleware(Door)], lifespan=leaving.watched)
