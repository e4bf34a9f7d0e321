"""What Streamlit runs: the state of a visitor's work, the frame, and one folder a page."""
