"""Multi-head attention in plain loops, straight from the formulas, to compare traces with.

It reads the fields of an ``Example`` and uses nothing else of the package, and no library.
"""

from math import ceil, cos, exp, sin, sqrt, tanh

NEG_INF = float("-inf")


NAMES = (
    "q k v q_rms k_rms q_normed k_normed q_rotated k_rotated q_norms k_norms q_unit k_unit q_a k_a pair_sums pair_tanh "
    "scores scaled_scores capped_scores linear_biases biased_scores masked_scores weights head_outputs"
).split()


def reference(example):
    """Every step by name: a list over heads (None where a head starts later) or, for the layer, one matrix."""
    early, rows_q, rows_k = positioned(example)
    heads: list[dict] = []
    for index, head in enumerate(example.heads):
        size = len(example.heads) // (example.kv_heads or len(example.heads))
        shared = heads[index - index % size] if index % size else None
        heads.append(reference_head(example, head, rows_q, rows_k, early, shared))
    for index, head in enumerate(heads):
        size = len(example.heads) // (example.kv_heads or len(example.heads))
        if index % size:  # shared matrices belong to the first of the group
            for name in ("k", "v", "k_rms", "k_normed", "k_rotated", "k_norms", "k_unit"):
                head.pop(name, None)
    steps = early | {
        name: [head.get(name) for head in heads] for name in NAMES if any(name in head for head in heads)
    }
    if "head_outputs" not in steps:  # no head has V
        return steps
    steps["concat"] = [
        [number for head in heads for number in head["head_outputs"][i]] for i in range(len(example.tokens))
    ]
    if example.w_o is not None:
        steps["output"] = project(steps["concat"], example.w_o, example.b_o)
    return steps


def positioned(example):
    """What positions compute before the heads, and the rows that queries and keys are projected from."""
    keys_from = example.context if example.context is not None else example.x
    positions, steps = example.positions, {}
    if positions is None or positions.kind == "alibi":
        return {}, example.x, keys_from
    if positions.kind == "rotary":
        width = next(
            len(matrix[0])
            for head in example.heads
            for matrix in (head.q, head.k, head.w_q, head.w_k)
            if matrix is not None
        )
        steps["angles"] = angles(positions.ids, len(example.tokens), positions.frequencies, width)
        n_k = count_keys(example)
        if example.context is not None or example.context_tokens is not None or n_k != len(example.tokens):
            steps["context_angles"] = angles(positions.context_ids, n_k, positions.frequencies, width)
        return steps, example.x, keys_from
    both = [("", "x", example.x, positions.ids, positions.frequencies)]
    if example.context is not None:
        row = (positions.context_ids, positions.context_frequencies)
        both.append(("context_", "context", example.context, *row))
    for prefix, name, rows, ids, frequencies in both:
        turned = steps[f"{prefix}angles"] = angles(ids, len(rows), frequencies, len(rows[0]))
        waves = [[(sin, cos)[c % 2](row[c // 2]) for c in range(len(rows[0]))] for row in turned]
        steps[f"{prefix}positional_encoding"] = waves
        steps[f"{name}_positioned"] = [
            [rows[i][c] + waves[i][c] for c in range(len(rows[0]))] for i in range(len(rows))
        ]
    rows_q = steps["x_positioned"]
    return steps, rows_q, steps.get("context_positioned", rows_q)


def angles(ids, count, frequencies, width):
    """position · frequency, for every position and every pair of columns."""
    ids = ids if ids is not None else range(count)
    if frequencies is None:
        frequencies = [1 / 10000 ** (2 * m / width) for m in range(ceil(width / 2))]
    return [[position * frequency for frequency in frequencies] for position in ids]


def count_keys(example):
    """How many keys there are: labels, rows of the context, given keys or values, or as many as tokens."""
    for rows in (example.context_tokens, example.context):
        if rows is not None:
            return len(rows)
    if example.x is None:
        for head in example.heads:
            for rows in (head.v, head.k):
                if rows is not None:
                    return len(rows)
    return len(example.tokens)


def reference_head(example, head, rows_q, rows_k, early, shared=None):
    """The steps of one head, from where it starts; ``shared``: those of the head whose keys and values it uses."""
    steps = {}
    kind = example.positions.kind if example.positions else None
    keys = head.weights is None or (
        example.kv_heads not in (None, len(example.heads)) and not (head.k is None and head.w_k is None)
    )
    if head.weights is None:
        steps["q"] = listed(head.q) or project(rows_q, head.w_q, head.b_q)
    if shared is not None:
        steps |= {
            name: shared[name]
            for name in ("k", "v", "k_rms", "k_normed", "k_rotated", "k_norms", "k_unit")
            if name in shared
        }
    else:
        if keys:
            steps["k"] = listed(head.k) or project(rows_k, head.w_k, head.b_k)
        if head.v is not None or head.w_v is not None:
            steps["v"] = listed(head.v) or project(rows_k, head.w_v, head.b_v)
    q, k = "q", "k"
    if example.norm is not None:
        for name, gains in (("q", head.g_q), ("k", head.g_k)):
            if name in steps and f"{name}_rms" not in steps and gains is not None:
                steps[f"{name}_rms"], steps[f"{name}_normed"] = normed(steps[name], example.norm.eps, gains)
        q, k = "q_normed", "k_normed"
    if kind == "rotary":
        for name, turn in ((q, early["angles"]), (k, early.get("context_angles", early["angles"]))):
            if name in steps:
                steps[f"{name[0]}_rotated"] = rotated(steps[name], turn, example.positions.pairs)
        q, k = "q_rotated", "k_rotated"
    if example.scoring == "cosine":
        for name, rows in (("q", q), ("k", k)):
            if rows in steps:
                norms = [sqrt(sum(number * number for number in row)) for row in steps[rows]]
                steps[f"{name}_norms"] = [[norm] for norm in norms]
                steps[f"{name}_unit"] = [
                    [number / norm if norm else 0.0 for number in row]
                    for row, norm in zip(steps[rows], norms, strict=True)
                ]
        q, k = "q_unit", "k_unit"
    if head.weights is None:
        scores = score(example, head, steps, q, k)
        if example.scale != "none":
            by = sqrt(len(steps["q"][0])) if example.scale == "sqrt_dk" else example.scale
            scores = steps["scaled_scores"] = [[number / by for number in row] for row in scores]
        if example.softcap is not None:
            cap = example.softcap
            scores = steps["capped_scores"] = [[cap * tanh(number / cap) for number in row] for row in scores]
        if kind == "alibi":
            ids = example.positions.ids or range(len(scores))
            key_ids = example.positions.context_ids
            own = example.context is not None or example.context_tokens is not None
            if key_ids is None:
                key_ids = range(len(scores[0])) if own or len(scores) != len(scores[0]) else ids
            biases = [[-head.slope[0] * abs(p - other) for other in key_ids] for p in ids]
            steps["linear_biases"] = biases
            scores = steps["biased_scores"] = [
                [scores[i][j] + biases[i][j] for j in range(len(scores[0]))] for i in range(len(scores))
            ]
        mask = example.mask if head.mask is None else head.mask
        if mask not in (None, "none"):
            scores = steps["masked_scores"] = masked(scores, mask)
        elif any(head.mask is not None for head in example.heads) and any_mask(example):
            steps["masked_scores"] = [list(row) for row in scores]
        sink = list(head.sink or ())
        steps["weights"] = [softmax(row + sink)[: len(row)] for row in scores]
    else:
        steps["weights"] = listed(head.weights)
    if "v" in steps:
        steps["head_outputs"] = weighted_sums(steps["weights"], steps["v"])
    return steps


def any_mask(example):
    return any(mask not in (None, "none") for mask in (example.mask, *(head.mask for head in example.heads)))


def score(example, head, steps, q, k):
    """Scores of every query and key, one of four ways."""
    if example.scoring == "bilinear":
        steps["q_a"] = project(steps[q], head.w_a, None)
        q = "q_a"
    if example.scoring == "additive":
        left = steps["q_a"] = project(steps[q], head.w_a, None)
        right = steps["k_a"] = project(steps[k], head.u_a, None)
        width = range(len(head.v_a))
        steps["pair_sums"] = [[one[c] + other[c] for c in width] for one in left for other in right]
        steps["pair_tanh"] = [[tanh(number) for number in row] for row in steps["pair_sums"]]
        steps["scores"] = [
            [sum(head.v_a[c] * tanh(one[c] + other[c]) for c in width) for other in right] for one in left
        ]
    else:
        steps["scores"] = dot_products(steps[q], steps[k])
    return steps["scores"]


def normed(rows, eps, gains):
    """The root mean square of each row, and the row divided by it, times the gain of each column."""
    sizes = [[sqrt(sum(number**2 for number in row) / len(row) + eps)] for row in rows]
    return sizes, [
        [number / size * gain for number, gain in zip(row, gains, strict=True)]
        for row, (size,) in zip(rows, sizes, strict=True)
    ]


def rotated(rows, turns, pairs):
    """Every pair of columns turned by its angle: neighbours, or one of each half."""
    result = []
    for row, turn in zip(rows, turns, strict=True):
        turned = [0.0] * len(row)
        for m, angle in enumerate(turn):
            one, other = (m, m + len(turn)) if pairs == "half" else (2 * m, 2 * m + 1)
            turned[one] = row[one] * cos(angle) - row[other] * sin(angle)
            turned[other] = row[one] * sin(angle) + row[other] * cos(angle)
        result.append(turned)
    return result


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
    """Scores after the mask, whichever of its kinds."""
    result = [list(row) for row in scores]
    for i in range(len(scores)):
        for j in range(len(scores[0])):
            if mask == "causal":
                if j > i:
                    result[i][j] = NEG_INF
            elif hasattr(mask, "window"):
                p = i + len(scores[0]) - len(scores) if mask.corner == "bottom_right" else i
                is_near = mask.window is None or abs(p - j) < mask.window + (not mask.causal)
                if not is_near or (mask.causal and j > p):
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
