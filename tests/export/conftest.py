"""Programs that run in this process set the libraries' default dtypes; other tests need the original ones."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
import torch


@pytest.fixture(autouse=True)
def default_dtype() -> Iterator[None]:
    import keras  # takes seconds, and every collection imports this file

    before = torch.get_default_dtype()
    keras_before, policy_before = keras.config.floatx(), keras.config.dtype_policy()
    yield
    torch.set_default_dtype(before)
    keras.config.set_floatx(keras_before)
    keras.config.set_dtype_policy(policy_before)
