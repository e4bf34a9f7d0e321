"""What is shown, without Streamlit: figures, lenses, the data of tables and of the walk, languages and colours."""
