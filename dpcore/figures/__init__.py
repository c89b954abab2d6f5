"""Plotly figures from tidy tables: no computation beyond words and ranges, no Streamlit."""
