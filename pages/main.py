"""Run what every session needs: page config and navigation, nothing else."""

import streamlit as st

from pages.server import sessions
from pages.shared import frame, page_links

sessions.watch_session()
frame.begin()
every_page = page_links.every_page()
page = st.navigation(every_page, position="hidden")
frame.name_tab(page, every_page)
page_links.open_page(page.title)
frame.warn_of_cache()
page.run()
page_links.close_page()
