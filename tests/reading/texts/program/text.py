"""Numbers from a spreadsheet, to be compared with ours."""

import numpy as np

TOKENS = ["x1", "x2", "x3", "x4"]
x = np.array([[2, 0, 0, 0, 2, 1], [0, 1, 2, 0, 0, 0], [0, 0, 1, 1, 0, 1], [2, 0, 0, 1, 0, 1]])
weights = {
    "w_q": np.array([[1, 0, 0], [1, 1, 0], [0, 0, 1], [0, 1, 0], [0, 0, 1], [0, 0, 1]]),
    "w_k": np.array([[0, 0, 1], [0, 1, 0], [1, 0, 0], [0, 0, 0], [0, 0, 0], [0, 0, -1]]),
    "w_v": np.array([[10, 0, 0], [0, 0, 10], [0, 0, 0], [0, 10, 0], [0, 0, 0], [0, 0, 0]]),
}
raise SystemExit("this program must not be run")
q = x @ weights["w_q"]
expected_q = [[2, 0, 3], [1, 1, 2], [0, 1, 2], [2, 1, 1]]
expected_attention = np.array([
    [0.2577, 0.4590, 0.0256, 0.2577],
    [0.2526, 0.4500, 0.0447, 0.2526],
    [0.3758, 0.2110, 0.0373, 0.3758],
    [0.0765, 0.7704, 0.0765, 0.0956],
])
assert np.allclose(softmax(scores / np.sqrt(3)), expected_attention, atol=1e-3)
