"""Entry point: page config and navigation, nothing else."""

import streamlit as st

st.set_page_config(
    page_title="Epsilon Explorer",
    page_icon=":material/shield_person:",
    layout="wide",
    menu_items={
        "About": "Epsilon Explorer shows what privacy costs, what it buys, and whether a claim is true."
    },
)

st.navigation(
    [
        st.Page(
            "pages/explore.py",
            title="Explore",
            icon=":material/explore:",
            default=True,
            help="What privacy costs on a data set: accuracy, objective and noise against ε.",
        )
    ],
    position="top",
).run()
