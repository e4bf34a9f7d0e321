"""What is shown, without Streamlit."""
