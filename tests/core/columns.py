"""Multi-head attention in plain loops in column convention: tokens are columns, W to the left, softmax downwards.

Written independently, not by transposing the results of the row convention: only the inputs are transposed, once.
"""

from math import ceil, cos, exp, sin, sqrt, tanh

from mha_core.example.band import BandMask
from tests.core.reference import any_mask, count_keys

NEG_INF = float("-inf")


def transposed(rows):
    """Columns as rows."""
    return None if rows is None else [[row[j] for row in rows] for j in range(len(rows[0]))]


def product(left, right):
    """C[r][c] = Σ_k L[r][k]·R[k][c]."""
    return [
        [sum(row[k] * right[k][c] for k in range(len(right))) for c in range(len(right[0]))] for row in left
    ]


def project(weight, columns, bias):
    """W·X + b: the bias is a column and is added to every column. ``weight`` is given as d_in × d_out."""
    found = product(transposed(weight), columns)
    return [
        [number + (bias[r] if bias is not None else 0.0) for number in row] for r, row in enumerate(found)
    ]


def column_reference(example):
    """Every step by name in column convention: a list over heads, or one matrix for the layer."""
    steps, x, keys_from = positioned(example)
    size = len(example.heads) // (example.kv_heads or len(example.heads))
    heads: list[dict] = []
    for index, head in enumerate(example.heads):
        shared = heads[index - index % size] if index % size else None
        heads.append(column_head(example, head, x, keys_from, steps, shared))
    names = dict.fromkeys(name for head in heads for name in head)
    for index, head in enumerate(heads):
        if index % size:
            for name in ("k", "v", "k_rms", "k_normed", "k_rotated", "k_norms", "k_unit"):
                head.pop(name, None)
    found = steps | {name: [head.get(name) for head in heads] for name in names}
    if "head_outputs" not in found:  # no head has V
        return found
    found["concat"] = [row for head in heads for row in head["head_outputs"]]
    if example.w_o is not None:
        found["output"] = project(example.w_o, found["concat"], example.b_o)
    return found


def positioned(example):
    x = transposed(example.x)
    keys_from = transposed(example.context) if example.context is not None else x
    positions = example.positions
    if positions is None or positions.kind == "alibi":
        return {}, x, keys_from
    n_q, n_k = len(example.tokens), count_keys(example)
    if positions.kind == "rotary":
        width = next(len(m[0]) for h in example.heads for m in (h.q, h.k, h.w_q, h.w_k) if m is not None)
        steps = {"angles": angles(positions.ids, n_q, positions.frequencies, width)}
        if example.context is not None or example.context_tokens is not None or n_q != n_k:
            steps["context_angles"] = angles(positions.context_ids, n_k, positions.frequencies, width)
        return steps, x, keys_from
    steps = {}
    sides = [("", "x", x, positions.ids, positions.frequencies)]
    if example.context is not None:
        given = (positions.context_ids, positions.context_frequencies)
        sides.append(("context_", "context", keys_from, *given))
    for prefix, name, columns, ids, frequencies in sides:
        turns = steps[f"{prefix}angles"] = angles(ids, len(columns[0]), frequencies, len(columns))
        waves = [[(sin, cos)[r % 2](angle) for angle in turns[r // 2]] for r in range(len(columns))]
        steps[f"{prefix}positional_encoding"] = waves
        steps[f"{name}_positioned"] = [
            [a + b for a, b in zip(one, other, strict=True)]
            for one, other in zip(columns, waves, strict=True)
        ]
    x = steps["x_positioned"]
    return steps, x, steps.get("context_positioned", x)


def angles(ids, count, frequencies, width):
    """ω·p: one row for each frequency, one column for each position."""
    ids = list(ids) if ids is not None else list(range(count))
    if frequencies is None:
        frequencies = [1 / 10000 ** (2 * m / width) for m in range(ceil(width / 2))]
    return product([[frequency] for frequency in frequencies], [ids])


def column_head(example, head, x, keys_from, early, shared):
    steps = {}
    kind = example.positions.kind if example.positions else None
    if head.weights is None:
        steps["q"] = transposed(head.q) or project(head.w_q, x, head.b_q)
    if shared is not None:
        own = ("k", "v", "k_rms", "k_normed", "k_rotated", "k_norms", "k_unit")
        steps |= {name: shared[name] for name in own if name in shared}
    else:
        grouped = example.kv_heads not in (None, len(example.heads))
        if head.weights is None or (grouped and not (head.k is None and head.w_k is None)):
            steps["k"] = transposed(head.k) or project(head.w_k, keys_from, head.b_k)
        if head.v is not None or head.w_v is not None:
            steps["v"] = transposed(head.v) or project(head.w_v, keys_from, head.b_v)
    sides = {"q": "q", "k": "k"}
    if example.norm is not None:
        for name, gains in (("q", head.g_q), ("k", head.g_k)):
            columns = steps.get(name)
            if columns is not None and f"{name}_rms" not in steps:
                count, eps = range(len(columns[0])), example.norm.eps
                sizes = [sqrt(sum(row[c] ** 2 for row in columns) / len(columns) + eps) for c in count]
                steps[f"{name}_rms"] = [sizes]
                steps[f"{name}_normed"] = [
                    [gain * row[c] / sizes[c] for c in count]
                    for row, gain in zip(columns, gains, strict=True)
                ]
        sides = {"q": "q_normed", "k": "k_normed"}
    if kind == "rotary":
        for name, turn in (("q", early["angles"]), ("k", early.get("context_angles", early["angles"]))):
            if sides[name] in steps:
                steps[f"{name}_rotated"] = rotated(steps[sides[name]], turn, example.positions.pairs)
        sides = {"q": "q_rotated", "k": "k_rotated"}
    if example.scoring == "cosine":
        for name in "qk":
            columns = steps.get(sides[name])
            if columns is not None:
                count = range(len(columns[0]))
                norms = [sqrt(sum(row[c] * row[c] for row in columns)) for c in count]
                steps[f"{name}_norms"] = [norms]
                steps[f"{name}_unit"] = [
                    [row[c] / norms[c] if norms[c] else 0.0 for c in count] for row in columns
                ]
        sides = {"q": "q_unit", "k": "k_unit"}
    if head.weights is None:
        steps["weights"] = column_weights(example, head, steps, steps[sides["q"]], steps[sides["k"]], kind)
    else:
        steps["weights"] = transposed(head.weights)
    if "v" in steps:
        steps["head_outputs"] = product(steps["v"], steps["weights"])
    return steps


def rotated(columns, turns, pairs):
    """Every pair of rows transposed by its angle: neighbours, or one of each half."""
    found: list = [None] * len(columns)
    for m, angles_of in enumerate(turns):
        one, other = (m, m + len(turns)) if pairs == "half" else (2 * m, 2 * m + 1)
        a, b = columns[one], columns[other]
        found[one] = [a[c] * cos(t) - b[c] * sin(t) for c, t in enumerate(angles_of)]
        found[other] = [a[c] * sin(t) + b[c] * cos(t) for c, t in enumerate(angles_of)]
    return found


def column_weights(example, head, steps, q, k, kind):
    """From columns of queries and keys to weights, n_k × n_q: a column for each query."""
    n_q, n_k = len(q[0]), len(k[0])
    if example.scoring == "additive":
        left, right = steps["q_a"], steps["k_a"] = project(head.w_a, q, None), project(head.u_a, k, None)
        pairs = [(i, j) for i in range(n_q) for j in range(n_k)]
        sums = steps["pair_sums"] = [
            [one[i] + other[j] for i, j in pairs] for one, other in zip(left, right, strict=True)
        ]
        steps["pair_tanh"] = [[tanh(number) for number in row] for row in sums]
        flat = product([list(head.v_a)], steps["pair_tanh"])[0]
        scores = [[flat[i * n_k + j] for i in range(n_q)] for j in range(n_k)]
    else:
        if example.scoring == "bilinear":
            q = steps["q_a"] = project(head.w_a, q, None)
        scores = product(transposed(k), q)
    steps["scores"] = scores
    if example.scale != "none":
        by = sqrt(len(steps["q"])) if example.scale == "sqrt_dk" else example.scale
        scores = steps["scaled_scores"] = [[number / by for number in row] for row in scores]
    if example.softcap is not None:
        cap = example.softcap
        scores = steps["capped_scores"] = [[cap * tanh(number / cap) for number in row] for row in scores]
    if kind == "alibi":
        ids = list(example.positions.ids or range(n_q))
        own = example.context is not None or example.context_tokens is not None or n_k != n_q
        key_ids = example.positions.context_ids or (range(n_k) if own else ids)
        biases = steps["linear_biases"] = [
            [-head.slope[0] * abs(p - other) for p in ids] for other in key_ids
        ]
        scores = steps["biased_scores"] = [
            [scores[j][i] + biases[j][i] for i in range(n_q)] for j in range(n_k)
        ]
    mask = example.mask if head.mask is None else head.mask
    if mask not in (None, "none"):
        scores = steps["masked_scores"] = masked(scores, mask)
    elif any(one.mask for one in example.heads) and any_mask(example):
        scores = steps["masked_scores"] = masked(scores, BandMask(99))
    sink = [[head.sink[0]] * n_q] if head.sink else []
    return softmax_down(scores + sink)[:n_k]


def masked(scores, mask):
    found = [list(row) for row in scores]
    for j in range(len(scores)):
        for i in range(len(scores[0])):
            if mask == "causal":
                if j > i:
                    found[j][i] = NEG_INF
            elif hasattr(mask, "window"):
                back = i - j + (len(scores) - len(scores[0])) * (mask.corner == "bottom_right")
                reach = len(scores) + len(scores[0]) if mask.window is None else mask.window
                if not (0 <= back < reach if mask.causal else -reach <= back <= reach):
                    found[j][i] = NEG_INF
            elif hasattr(mask, "add"):
                found[j][i] += mask.add[i][j]
            elif not mask.allow[i][j]:
                found[j][i] = mask.fill
    return found


def softmax_down(scores):
    """e^s over the sum of its column; a column of −∞ alone attends to nothing."""
    found = [list(row) for row in scores]
    for i in range(len(scores[0])):
        top = max(row[i] for row in scores)
        powers = [0.0 if top == NEG_INF else exp(row[i] - top) for row in scores]
        total = sum(powers)
        for j, power in enumerate(powers):
            found[j][i] = power / total if total else 0.0
    return found
