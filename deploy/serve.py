"""Start the app as a server: ``python -m deploy.serve [any option of streamlit run]``.

``streamlit run`` opens its port before it has read app.py, so the first visitors, or a burst of them right after a
start, would wait for torch, pandas and plotly or meet them half imported. Here the port answers only when every
module is there: healthy means ready.
"""

import importlib
import pkgutil
import sys

PACKAGES = ("mha_core", "mha_ui")
# Streamlit imports these inside its functions, when they are first called.
LIBRARIES = ("torch", "pandas", "pyarrow", "plotly.graph_objects", "plotly.io", "plotly.tools")


def import_everything() -> None:
    """Import what any page can need: the libraries, and each module of our packages except their commands."""
    for name in LIBRARIES:
        importlib.import_module(name)
    for package in map(importlib.import_module, PACKAGES):
        for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            if not module.name.endswith(".__main__"):
                importlib.import_module(module.name)


if __name__ == "__main__":
    import_everything()
    from streamlit.web import cli

    cli.main(["run", "app.py", *sys.argv[1:]], prog_name="streamlit")
