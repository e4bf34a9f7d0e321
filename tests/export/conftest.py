"""Programs that run in this process set Keras's default dtype too; other tests need the original one."""

from __future__ import annotations

from collections.abc import Iterator

import pytest


@pytest.fixture(autouse=True)
def keras_dtype() -> Iterator[None]:
    import keras  # takes seconds, and every collection imports this file

    before, policy_before = keras.config.floatx(), keras.config.dtype_policy()
    yield
    keras.config.set_floatx(before)
    keras.config.set_dtype_policy(policy_before)
