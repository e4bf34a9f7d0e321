"""Exported programs run in this process here too."""

from tests.export.conftest import default_dtype

__all__ = ["default_dtype"]
