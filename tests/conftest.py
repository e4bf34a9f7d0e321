"""What all tests share: hypothesis draws the same cases on every machine, and does not mind a slow one; torch computes
in one thread, as in the app; Keras runs on torch.
"""

import os

import torch
from hypothesis import HealthCheck, settings

os.environ["KERAS_BACKEND"] = "torch"
# Two of them wait for each other longer than they compute, where other tests run beside.
torch.set_num_threads(1)

settings.register_profile(
    "fixed", derandomize=True, deadline=None, database=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("fixed")
