"""What all tests share: hypothesis draws the same cases on every machine, and does not mind a slow one; Keras runs on
torch.
"""

import os

from hypothesis import HealthCheck, settings

os.environ["KERAS_BACKEND"] = "torch"

settings.register_profile(
    "fixed", derandomize=True, deadline=None, database=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("fixed")
