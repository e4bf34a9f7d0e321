"""Which matrix a text means: the vocabulary's names, as authors write them in English and Chinese, with the head.

``W^Q_1``, ``W_q1``, ``q_proj.weight`` and 查询权重矩阵 are ``w_q``; ``AttentionWeight_1`` is ``weights`` of head 1.
"""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from mha_core.read.aliases import ALIASES

_FILLER: Final = frozenset(
    """
        all along and apply are array as at be becomes by calculate calculated compute computed csv data
        detach each first following for fourth from get give gives has have here i in is item layer let
        mat matrices matrix now np numpy of one our p_ params per print round row rows second self
        shape so squeeze step table tensor the then therefore third this three thus to torch two we
        where wise with
    """.split()
)
_CHINESE_FILLER: Final = re.compile(
    "矩阵|第[一二三四五六七八\\d]+个?|的结果|结果为|计算|得到|如下|分别|为|是|的|我们|则|有|即|每个|头(?!输出)|对应|所有|后$|设|令|取|步骤|假设|可得"
)
_ORDINALS: Final = {
    "first": 1, "second": 2, "third": 3, "fourth": 4, "one": 1, "two": 2, "three": 3, "four": 4,
    "一": 1, "二": 2, "三": 3, "四": 4, "五": 5, "六": 6, "七": 7, "八": 8, "a": 1, "b": 2,
}  # fmt: skip
_HEAD_WORDS: Final = (
    re.compile(r"\bheads?[\s_#\-]*\(?\[?(\d+)\b", re.IGNORECASE),
    re.compile(r"\b(first|second|third|fourth)\s+(?:attention\s+)?head", re.IGNORECASE),
    re.compile(r"\bhead\s+(one|two|three|four|A|B)\b", re.IGNORECASE),
    re.compile(r"第\s*([一二三四五六七八\d]+)\s*个?(?:注意力)?头"),
    re.compile(r"头\s*_?\s*([一二三四五六七八\d]+)"),
    re.compile(r"(?<![a-zA-Z])h_?(\d+)(?!\d)"),
    re.compile(r"(?<=[a-z_])_?head_?(\d+)", re.IGNORECASE),
)
_WHOLE: Final = re.compile(
    r"\s*(\([^()]+\)|\[[^\[\]]+\]|[A-Za-z]{1,9}(?:_?\{?\d\}?)?)\s*\^?\s*[{(]?\s*(?:\bT|\^T|(?<=\^)T|⊤|ᵀ)\s*[)}]?\s*"
)
"""Something that is turned as a whole, unlike the end of ``Q Kᵀ``."""
_ITEM: Final = re.compile(
    r"^\W*(?:\(?\d+\s*[).、:：]|（\d+）|[①-⑨]|step\s*\d+\W?|步骤\s*\d+|第\s*[\d一二三四五六七八九]+\s*步)(?!\d)\s*",
    re.IGNORECASE,
)
"""The number of an item or a step, which counts no heads."""
_INDEX: Final = re.compile(r"(?:[_^\[({\s]|(?<=[a-zA-Z)]))\s*[({\[]*\s*(\d+)(?![\d.])")
_ROOT: Final = re.compile(r"(?:[/÷]|√|sqrt|divided).*$")
_TOKEN: Final = re.compile(r"[a-z]+|[\u4e00-\u9fff]+")


_TRANSPOSED: Final = re.compile(
    r"\^\s*[({]?\s*T\s*[)}]?|\.T\b|\.t\(\)|\.?\btranspose[sd]?\b(?:\([^)]*\))?|(?<=[KQVXWS\d])T\b"
)


class Named(NamedTuple):
    """A matrix of the vocabulary, the head as the text counts it, and whether the text turns the matrix (``Kᵀ``)."""

    name: str
    head: int | None
    turned: bool = False


def named(text: str) -> Named | None:
    """The matrix that a left side or a short phrase names, if it names one."""
    whole = _WHOLE.fullmatch(text)
    inner = named(whole[1].strip("()[] ")) if whole else None
    if inner is not None and inner.name in ("weights", "head_outputs", "concat", "output"):
        return inner._replace(turned=True)
    head = head_in(text)
    scaled = _is_scaled(text)
    bare = _without_heads(_ROOT.sub("", text) if scaled else text)
    turned = bool(re.search(r"[A-Za-z)\d]\s*\^?\s*[({]?\s*(?:T|⊤|′|')\s*[)}]?\s*$|\.T\b|transpose", bare))
    bare = _TRANSPOSED.sub(" turned ", bare)
    key = _key(bare)
    by_formula = _by_formula(key, scaled)
    if by_formula is not None:
        return Named(by_formula, head)
    name = ALIASES.get(key.replace("turned", ""))
    if name == "scores" and scaled:
        name = "scaled_scores"
    return (
        None
        if name is None
        else Named(name, head, turned and name in ("k", "q", "v", "x", "w_q", "w_k", "w_v", "w_o"))
    )


def by_formula(text: str) -> str | None:
    """The matrix that a formula such as ``Q K^T / √d_k`` computes."""
    for part in text.split("="):
        scaled = _is_scaled(part)
        bare = _TRANSPOSED.sub(" turned ", _without_heads(part))
        name = _by_formula(
            _key(_ROOT.sub("", bare) if scaled and "softmax" not in part.lower() else bare), scaled
        )
        if name is not None:
            return name
    return None


_PROJECTED: Final = re.compile(
    r"(?:(?<![A-Za-z])([A-Z])[\d_]*\s*|([A-Za-z]+)[\d_]*\s*·\s*)[Ww][_^{(\di)}]{0,9}([QKVqkv])"
    r"|[Ww][_^{(\di)}]{0,9}([QKVqkv])[\d)}]*(?:\s*·\s*([A-Za-z]+)|\s?([A-Z])(?![A-Za-z]))"
)
_SYMBOL: Final = re.compile(r"(?:^|\s)([A-Za-z]+)[\d_^{}()]*\s*$")


def projected_letters(text: str) -> dict[str, str]:
    """``x`` and ``context`` by the names that a text gives them where it projects them: ``Q = E W_Q``."""
    found = [
        ((one[3] or one[4]).lower(), name)
        for one in _PROJECTED.finditer(text)
        if (name := one[1] or one[2] or one[5] or one[6]).lower()
        not in ("q", "k", "v", "query", "key", "value")
    ]
    queries = {name for letter, name in found if letter == "q"}
    return {name: "x" if name in queries else "context" for _, name in found if queries}


def symbol_in(left: str) -> str:
    """The letter or variable at the end of a left side, without what is below and above it."""
    found = _SYMBOL.search(left)
    return found[1] if found else ""


def head_in(text: str) -> int | None:
    """The head that a text names, as it counts them."""
    text = _ITEM.sub("", text)
    for pattern in _HEAD_WORDS:
        found = pattern.search(text)
        if found:
            return _ordinal(found[1])
    if re.search(r"[.。!?]\s", text) or len(text) > 60:
        return None
    found = _INDEX.search(_ROOT.sub("", text))
    return int(found[1]) if found and len(found[1]) < 3 else None


def head_said(text: str, *, last: bool = False) -> int | None:
    """The head that a sentence or a heading speaks of, the first one or the last."""
    for pattern in _HEAD_WORDS[:5]:
        found = list(pattern.finditer(text))
        if found:
            return _ordinal(found[-1 if last else 0][1])
    return None


def _ordinal(text: str) -> int | None:
    if text.isdecimal():
        return int(text) if len(text) < 3 else None
    return _ORDINALS.get(text.lower())


def _is_scaled(text: str) -> bool:
    return bool(re.search(r"/\s*[\d(√s{d]|÷|√|sqrt|divided by", text))


def _without_heads(text: str) -> str:
    text = re.sub(r"multi[\s_-]?head(?:ed)?", " multihead ", text, flags=re.IGNORECASE)
    text = text.replace("多头", " multihead ")
    for pattern in (_HEAD_WORDS[0], _HEAD_WORDS[3], _HEAD_WORDS[4]):
        text = pattern.sub(lambda found: " head " if found[0].isascii() else " 头 ", text)
    text = re.sub(
        r"\(\s*(?:head|头)\s*\)|(?:for|of|in)\s+(?:the\s+)?(?:first|second|third)?\s*head",
        " ",
        text,
        flags=re.IGNORECASE,
    )
    text = re.sub(r"\(\s*\w+\s*·\s*\w+\s*\)|\b\d+\s*[x·]\s*\d+\b", " ", text)
    text = re.sub(r"(?<=[A-Z])_?h(?=\d)|_i\b|\^\{?\(?i\)?\}?", " ", text)
    return re.sub(r"(?<=[a-z])(?=[A-Z][a-z])", " ", text)


def _key(text: str) -> str:
    """The letters of a phrase, without fillers, digits and marks."""
    text = _CHINESE_FILLER.sub("", text.lower())
    words = [word for word in _TOKEN.findall(text.replace("-", "")) if word not in _FILLER]
    others = [word for word in words if word not in ("head", "heads", "头")]
    if len(others) < len(words) and (not others or others[0] in ("output", "outputs", "out", "输出")):
        return "headoutput"
    return "".join(others)


def _by_formula(key: str, scaled: bool) -> str | None:
    """What a product, a softmax or a concatenation gives."""
    if "softmax" in key:
        return "head_outputs" if re.search(r"v$", key) and len(key) > 8 else "weights"
    if key.startswith("concat"):
        return "output" if key.endswith(("wo", "ow")) else "concat"
    if re.fullmatch(r"(?:concat|multihead|[zho]|heads?)+(?:wo|ow)(?:bo)?", key):
        return "output"
    if re.fullmatch(r"(?:q\w{0,5}k\w{0,4}turned|qk|qkt|qkturned|k(?:turned)?q)", key):
        return "scaled_scores" if scaled else "scores"
    projected = re.fullmatch(
        r"(?:x|input)(?:enc|dec|kv|q)?(?:turned)?w([qkv])(?:b[qkv])?|w([qkv])(?:turned)?(?:x|input)(?:turned)?|x([qkv])w",
        key,
    )
    if projected:
        return next(letter for letter in projected.groups() if letter)
    if re.fullmatch(r"(?:a|weights|attn|attention|attentionweights?|alpha|p)v(?:alue)?|va|valpha", key):
        return "head_outputs"
    return None


# --- sentences -------------------------------------------------------------------------------------------------

_MENTIONS: Final = tuple(
    (name, re.compile(pattern, re.IGNORECASE if flag else 0))
    for name, pattern, flag in (
        ("weights", r"attention[\s-]weights?|softmax|注意力权重|attention matri(?:x|ces)"
            r"|attention map|attention pattern", True),
        ("scaled_scores", r"scaled (?:attention |dot[\s-]product )?scores?|divid\w+|scal(?:ing|e\b"
            r"|ed)|缩放|除以|K\^?[{(]?T[)}]*\s*/", True),
        ("masked_scores", r"masked scores?|masked|掩码后|加上掩码|appl\w+ (?:the |a )?(?:causal )?mask", True),
        ("mask", r"\bmask\b|掩码矩阵|因果掩码", True),
        ("w_o", r"W_?\{?O\}?|W\^\{?O\}?|output (?:projection|weights?)|输出(?:投影|权重)", False),
        ("w_q", r"W_?\{?[Qq]\}?(?![a-z])|W\^\{?\(?Q\)?\}?|[Qq]uery (?:weights?|projection)"
            r"|查询(?:的)?(?:权重|投影)", False),
        ("w_k", r"W_?\{?[Kk]\}?(?![a-z])|W\^\{?\(?K\)?\}?|[Kk]ey (?:weights?|projection)"
            r"|键(?:的)?(?:权重|投影)", False),
        ("w_v", r"W_?\{?[Vv]\}?(?![a-z])|W\^\{?\(?V\)?\}?|[Vv]alue (?:weights?|projection)"
            r"|值(?:的)?(?:权重|投影)", False),
        ("concat", r"concat\w*|拼接|side by side|next to (?:each other|one another)|并排"
            r"|拼在一起|合在一起|join(?:ed|ing)?", True),
        ("head_outputs", r"head(?:'s)? outputs?|outputs? of (?:the |each )?(?:\w+ )?heads?"
            r"|context vectors?|weighted (?:sum|average)"
         r"|weighted values|头(?:的)?输出|加权求?和|注意力输出|注意力表示|mix(?:es"
         r"|ed)? (?:the )?values|(?:乘以|times|with|by) V\b", True),
        ("scores", r"(?:raw |attention |unscaled )?scores?|(?:dot )?products?\b|QK\^?T|Q\s*·?\s*K\^?\s*T"
            r"|分数|得分|点积|相似度", True),
        ("output", r"(?:final |layer's |layer )?outputs?|最终输出|输出|result", True),
        ("q", r"(?<![A-Za-z_^])Q(?![A-Za-z])|quer(?:y|ies)|Quer(?:y|ies)|查询", False),
        ("k", r"(?<![A-Za-z_^])K(?![A-Za-z])|[Kk]eys?\b|键", False),
        ("v", r"(?<![A-Za-z_^])V(?![A-Za-z])|[Vv]alues?\b|值(?!得)", False),
        ("x", r"(?<![A-Za-z_^])X(?![A-Za-z])|[Ii]nputs?\b|[Ee]mbed\w*|输入|嵌入|词向量", False),
    )
)  # fmt: skip


_NOT_YET: Final = re.compile(
    r"un-?scaled|\bnot (?:be )?scal\w+|without scaling|before [\w\s]{0,20}?(?:scaling|softmax"
    r"|mask\w*|divi\w+)|未缩放|缩放前|"
    r"softmax\s*(?:之)?前|掩码前",
    re.IGNORECASE,
)
_FACTOR: Final = re.compile(
    r"(?:multipl\w+|project\w*|transform\w*)\b.{0,60}\b(?:by|with|using"
    r"|through)\s*(?:the )?(?:matrix|this|weights?)?\s*$|(?:乘以|乘上|通过)[^，。]{0,8}$",
    re.IGNORECASE,
)


def mentioned(text: str) -> list[str]:
    """The matrices that a sentence speaks of, in the order in which it does; a longer phrase hides a shorter one."""
    text = _NOT_YET.sub(" ", text)
    names = _mentions(text)
    if _FACTOR.search(text):
        names = [f"w_{name}" if name in ("q", "k", "v") else name for name in names]
    if names[-3:] == ["q", "k", "w_v"]:  # “query, key and value weights”
        names = [*names[:-3], "w_q", "w_k", "w_v"]
    if "w_o" in names and "concat" in names and re.search(r"multipl|times|乘|project", text, re.IGNORECASE):
        names.append("output")
    return names


def _mentions(text: str) -> list[str]:
    found = [(m.start(), m.end(), name) for name, pattern in _MENTIONS for m in pattern.finditer(text)]
    taken: list[tuple[int, int, str]] = []
    for one in found:
        if not any(one[0] < end and start < one[1] for start, end, _ in taken):
            taken.append(one)
    return [name for _, _, name in sorted(taken)]
