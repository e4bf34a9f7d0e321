"""What pyproject.toml has no word for: a wheel holds the app's own scripts in ``mha_ui/app``, and the browser's in
``mha_view/web``."""

from pathlib import Path

from setuptools import setup
from setuptools.command.build_py import build_py


class BuildWithApp(build_py):
    """``streamlit run`` wants app.py, and finds the pages and its settings beside it."""

    def run(self) -> None:
        """Copy them, unless the install is an editable one, which runs them where they are."""
        super().run()
        if self.editable_mode:
            return
        app = [Path("app.py"), *Path("pages").glob("*.py"), Path(".streamlit/config.toml")]
        web = [path for ending in ("js", "css") for path in Path("web").rglob(f"*.{ending}")]
        for folder, paths in (("mha_ui/app", app), ("mha_view", web)):
            for path in paths:
                target = Path(self.build_lib, folder, path)
                self.mkpath(str(target.parent))
                self.copy_file(str(path), str(target))


setup(cmdclass={"build_py": BuildWithApp})
