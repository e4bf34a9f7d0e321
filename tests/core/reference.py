"""Multi-head attention in plain loops, straight from the formulas: what the traces are held against.

It reads the fields of an ``Example`` and takes nothing else from the package, and no other library.
"""

from math import exp, sqrt

NEG_INF = float("-inf")


def reference(example):
    """Every step by name: a list over heads (None where a head starts later) or, for the layer, one matrix."""
    heads = [reference_head(example, head) for head in example.heads]
    names = ("q", "k", "v", "scores", "scaled_scores", "masked_scores", "weights", "head_outputs")
    steps = {
        name: [head.get(name) for head in heads] for name in names if any(name in head for head in heads)
    }
    steps["concat"] = [
        [number for head in heads for number in head["head_outputs"][i]] for i in range(len(example.tokens))
    ]
    if example.w_o is not None:
        steps["output"] = project(steps["concat"], example.w_o, example.b_o)
    return steps


def reference_head(example, head):
    """The steps of one head, from where it starts."""
    keys_from = example.context if example.context is not None else example.x
    steps = {}
    if head.weights is None:
        steps["q"] = listed(head.q) or project(example.x, head.w_q, head.b_q)
        steps["k"] = listed(head.k) or project(keys_from, head.w_k, head.b_k)
    steps["v"] = listed(head.v) or project(keys_from, head.w_v, head.b_v)
    if head.weights is None:
        scores = steps["scores"] = dot_products(steps["q"], steps["k"])
        if example.scale != "none":
            by = sqrt(len(steps["q"][0])) if example.scale == "sqrt_dk" else example.scale
            scores = steps["scaled_scores"] = [[score / by for score in row] for row in scores]
        if example.mask is not None:
            scores = steps["masked_scores"] = masked(scores, example.mask)
        steps["weights"] = [softmax(row) for row in scores]
    else:
        steps["weights"] = listed(head.weights)
    steps["head_outputs"] = weighted_sums(steps["weights"], steps["v"])
    return steps


def project(rows, weight, bias):
    """rows·weight + bias."""
    result = []
    for row in rows:
        sums = []
        for j in range(len(weight[0])):
            total = 0.0
            for k in range(len(row)):
                total += row[k] * weight[k][j]
            sums.append(total + (bias[j] if bias is not None else 0.0))
        result.append(sums)
    return result


def dot_products(queries, keys):
    """S[i, j] = Σ_k Q[i, k]·K[j, k]."""
    return [[sum(query[k] * key[k] for k in range(len(query))) for key in keys] for query in queries]


def masked(scores, mask):
    """Scores after the mask, whichever of its three kinds."""
    result = [list(row) for row in scores]
    for i in range(len(scores)):
        for j in range(len(scores[0])):
            if mask == "causal":
                if j > i:
                    result[i][j] = NEG_INF
            elif hasattr(mask, "add"):
                result[i][j] += mask.add[i][j]
            elif not mask.allow[i][j]:
                result[i][j] = mask.fill
    return result


def softmax(row):
    """e^s over the sum of them; a row of −∞ alone attends to nothing."""
    top = max(row)
    if top == NEG_INF:
        return [0.0 for _ in row]
    powers = [exp(score - top) for score in row]
    total = sum(powers)
    return [power / total for power in powers]


def weighted_sums(weights, values):
    """head[i, j] = Σ_k A[i, k]·V[k, j]."""
    return [
        [sum(row[k] * values[k][j] for k in range(len(values))) for j in range(len(values[0]))]
        for row in weights
    ]


def listed(matrix):
    """A given matrix as lists; None where there is none."""
    return None if matrix is None else [list(row) for row in matrix]


def largest_difference(steps, expected):
    """The largest |Δ| over all steps; both must have the same steps, heads, shapes and −∞ cells."""
    assert list(steps) == list(expected)
    worst = 0.0
    for name, found in steps.items():
        for one, other in pairs(found, expected[name], name):
            if one != other:
                assert NEG_INF not in (one, other), name
                worst = max(worst, abs(one - other))
    return worst


def pairs(found, expected, name):
    """The numbers of two nested lists of one shape, side by side."""
    if isinstance(found, list) and isinstance(expected, list):
        assert len(found) == len(expected), name
        for one, other in zip(found, expected, strict=True):
            yield from pairs(one, other, name)
    else:
        assert (found is None) == (expected is None), name
        if found is not None:
            yield found, expected
