"""What every session runs: page config and navigation, nothing else."""

import streamlit as st

from dpcore.datasets import cache
from pages.shared import finite_numbers, session_end
from pages.shared.verbatim import verbatim

session_end.watch_session()

st.set_page_config(
    page_title="Epsilon Explorer",
    page_icon="assets/icon.svg",
    layout="wide",
    menu_items={
        "About": "Shows what privacy costs, what it buys, and whether a privacy claim is true."
    },
)

st.logo("assets/logo.svg", size="large", icon_image="assets/icon.svg")
page = st.navigation(
    [
        st.Page(
            "explore/explore.py",
            title="Explore",
            icon=":material/explore:",
            url_path="start",
            default=True,
            help="What privacy costs on a data set: accuracy, objective and noise against ε.",
        ),
        st.Page(
            "plan/plan.py",
            title="Plan",
            icon=":material/event_note:",
            help="What a training run costs in ε, and what a budget buys: steps, noise, batches.",
        ),
        st.Page(
            "train/train.py",
            title="Train",
            icon=":material/model_training:",
            help="A network trained with DP-SGD, epoch by epoch, beside the one without privacy.",
        ),
        st.Page(
            "atlas/atlas.py",
            title="Atlas",
            icon=":material/map:",
            help="Every system of the papers: what it claims, what is known, where it runs.",
        ),
        # The first page's address is "/"; its name leads there too, instead of to "Page not found".
        st.Page("explore/explore.py", title="Explore", url_path="explore", visibility="hidden"),
    ],
    position="top",
)
finite_numbers.refuse()
complaint = cache.complaint()
if complaint:
    st.warning(verbatim(complaint), icon=":material/save:")
page.run()
