"""The server beside the pages: Starlette routes that need no session of Streamlit."""
