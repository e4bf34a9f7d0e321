"""Exported programs run in this process here too."""

from tests.export.conftest import keras_dtype

__all__ = ["keras_dtype"]
