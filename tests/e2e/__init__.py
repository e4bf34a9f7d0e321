"""The app in a real browser: Streamlit's server in a process of its own, Chromium driven by Playwright."""
