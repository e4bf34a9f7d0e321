"""Everything that Streamlit and Plotly draw."""
