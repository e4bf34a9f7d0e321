"""What pyproject.toml has no word for: a wheel holds the app's own scripts, in a folder of ``mha_ui``."""

from pathlib import Path

from setuptools import setup
from setuptools.command.build_py import build_py


class BuildWithApp(build_py):
    """``streamlit run`` wants app.py, and finds the pages and its settings beside it."""

    def run(self) -> None:
        """Copy them, unless the install is an editable one, which runs them where they are."""
        super().run()
        for path in (
            () if self.editable_mode else ("app.py", *Path("pages").glob("*.py"), ".streamlit/config.toml")
        ):
            target = Path(self.build_lib, "mha_ui", "app", path)
            self.mkpath(str(target.parent))
            self.copy_file(str(path), str(target))


setup(cmdclass={"build_py": BuildWithApp})
