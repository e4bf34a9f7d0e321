"""Expected values for the causal attention kernel (divisor sqrt(2), lower-triangular mask)."""

X = [[0, 2], [1, 0], [1, 1]]  # 3 x 2

# the only head
WQ1 = [[1, 1], [-1, 0]]
WK1 = [[0, 2], [1, 2]]
WV1 = [[2, -1], [1, 2]]
Q1 = [[-2, 0], [1, 1], [0, 1]]
K1 = [[2, 4], [0, 2], [1, 4]]
V1 = [[2, 4], [2, -1], [3, 1]]
scores1 = [[-4, 0, -2], [6, 2, 5], [4, 2, 4]]  # raw
weights1 = [[0.0454, 0.7679, 0.1867], [0.6443, 0.0381, 0.3177], [0.4458, 0.1084, 0.4458]]
out1 = [[2.1867, -0.3997], [2.3177, 2.8566], [2.4458, 2.1207]]

# weights are stochastic
for row in weights1:
    assert abs(sum(row) - 1) < 0.01
