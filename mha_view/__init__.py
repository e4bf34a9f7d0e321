"""What is shown, without Streamlit: figures, lenses, what tables and the walk are told, languages and colours."""
