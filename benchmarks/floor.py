"""The least that a Streamlit page can cost: one slider, five numbers, two charts, no mathematics.

`benchmarks.page` measures it beside Explore: the floor that no page of this kind gets under.
"""

import plotly.graph_objects as go
import streamlit as st

LINES, POINTS = 5, 61

epsilon = st.select_slider(
    "Privacy loss ε", [round(10 ** (place / 20 - 1), 4) for place in range(POINTS)], 1.0
)
for number, place in enumerate(st.columns(5), start=1):
    place.metric(f"Number {number}", f"{number * epsilon:.4f}")
still = go.Figure(
    [
        go.Scatter(x=list(range(POINTS)), y=[line * x % 7 for x in range(POINTS)])
        for line in range(LINES)
    ]
)
st.plotly_chart(still, width="stretch", key="still")
moving = go.Figure(go.Bar(x=list(range(LINES)), y=[epsilon * line for line in range(LINES)]))
st.plotly_chart(moving, width="stretch", key="moving")
