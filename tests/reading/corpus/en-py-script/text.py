"""Check my pencil work for the reading group. Run it and compare with the comments."""
import numpy as np

# tokens: "she", "sells", "shells"
X = np.array([[2, 0, 2, 0],
              [2, 1, 1, 2],
              [1, 1, 2, 2]])

heads = [
    {
        "W_Q": np.array([[1, 1],
                         [1, 2],
                         [2, 1],
                         [1, 2]]),
        "W_K": np.array([[0, 2],
                         [2, 2],
                         [1, 1],
                         [0, 0]]),
        "W_V": np.array([[1, 0],
                         [2, 2],
                         [1, 0],
                         [0, 0]]),
    },
    {
        "W_Q": np.array([[0, 1],
                         [2, 1],
                         [2, 2],
                         [0, 0]]),
        "W_K": np.array([[0, 2],
                         [1, 0],
                         [0, 2],
                         [2, 2]]),
        "W_V": np.array([[2, 0],
                         [1, 1],
                         [2, 1],
                         [0, 1]]),
    },
]
W_O = np.array([[0, 2, 0, 2],
                [2, 0, 1, 0],
                [0, 2, 1, 1],
                [0, 0, 2, 2]])


def softmax(z):
    e = np.exp(z - z.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)


outs = []
for p in heads:
    Q, K, V = X @ p["W_Q"], X @ p["W_K"], X @ p["W_V"]
    A = softmax(Q @ K.T / np.sqrt(K.shape[1]))
    outs.append(A @ V)

# head 1, weights:
# [[0.0002, 0.1955, 0.8043],
#  [0.0000, 0.8044, 0.1956],
#  [0.0000, 0.6698, 0.3302]]
# head 2, weights:
# [[0.0000, 0.5000, 0.5000],
#  [0.0000, 0.5000, 0.5000],
#  [0.0000, 0.5000, 0.5000]]

concat = np.hstack(outs)
# concat =
# [[4.9998, 1.9997, 7.0000, 4.5000],
#  [5.0000, 2.0000, 7.0000, 4.5000],
#  [5.0000, 2.0000, 7.0000, 4.5000]]

print(concat @ W_O)
# [[ 3.9993, 23.9997, 17.9997, 25.9997],
#  [ 4.0000, 24.0000, 18.0000, 26.0000],
#  [ 4.0000, 24.0000, 18.0000, 26.0000]]
