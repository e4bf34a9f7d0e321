"""The words of “Read an article”."""

from __future__ import annotations

from typing import Final

from mha_core.errors import N_
from mha_view import page_words
from mha_view.language import words_in

ANOTHER: Final = N_("Another text")
CORRECTED: Final = N_("Download the corrected copy")
_SHARED: Final = (
    *("verdict", "first_wrong", "cannot_be", "right", "solution", "yours", "or", "see_step"),
    *("titled", "head"),
)
"""What the tables say too."""
_WORDS: Final = {
    "lead": N_(
        "Paste an article with a worked example, or open its file. Every wrong number is marked where it is printed, "
        "with the right one and the cause."
    ),
    "paste": N_("Text with matrices: Markdown, LaTeX, HTML, a program, or plain text"),
    "read": N_("Read the text"),
    "reading": N_("Reading…"),
    "choose": N_("Choose a file"),
    "sample": N_("Try a short text"),
    "formats": N_(
        "Or drop a file here: {formats}, up to {most} MB. It is read on this server and not stored. Programs are not "
        "run."
    ),
    "too_large": N_("{name} was not read. Files can be up to {most} MB."),
    "unreadable": N_("{name} could not be opened."),
    "text": N_("The text, with each matrix framed"),
    "example": N_("What was read"),
    "example_n": N_("Example {number}"),
    "guess": N_("guess"),
    "confirm": N_("That is right"),
    "use_as": N_("Use it as"),
    "guesses_said": N_("{count} {count:matrix is a guess|matrices are guesses}."),
    "unused_said": N_("{count} {count:matrix is|matrices are} not used; the end of the list says why."),
    "unused": N_("not used"),
    "unused_n": N_("Not used ({count})"),
    "as_read": N_("Undo my choice"),
    "what": N_("What this matrix is"),
    "all_heads": N_("all heads side by side"),
    "turned": N_("printed transposed"),
    "line": N_("line {line}"),
    "form": N_("Convention"),
    "form:rows": N_("tokens are rows, X·W"),
    "form:weights by output": N_("tokens are rows, W is transposed"),
    "form:columns": N_("tokens are columns, W·X"),
    "form:columns, scores by query": N_("tokens are columns, scores have a row for each query"),
    "scale": N_("Scores are divided by"),
    "scale:none": N_("nothing"),
    "mask": N_("Mask"),
    "mask:none": N_("none"),
    "mask:causal": N_("causal"),
    "mask:printed": N_("as printed"),
    "explore": N_("Open in Explore"),
    "tables": N_("Open in the tables"),
    "exercise": N_("Open as an exercise"),
    "linked": N_("Share copies a link with this text and your choices."),
    "unlinked": N_("This text is too large for a link."),
    "wrong": N_("{printed} is wrong. {line} {cause}"),
    "follows": N_("It only follows from an earlier number."),
    "matrix": N_("Go to {symbol} in the list"),
}


_SAMPLE: Final = (
    N_("# Attention by hand"),
    N_("Two tokens, “red” and “green”, and one head with d_k = 2."),
    r"$X = \begin{bmatrix} 1 & 0 \\ 0 & 1 \end{bmatrix}$, $W_Q = \begin{bmatrix} 1 & 2 \\ 0 & 1 \end{bmatrix}$",
    r"$W_K = \begin{bmatrix} 1 & 0 \\ 3 & 1 \end{bmatrix}$, $W_V = \begin{bmatrix} 2 & 0 \\ 0 & 4 \end{bmatrix}$",
    N_("The scores:"),
    r"$$Q K^\top = \begin{bmatrix} 1 & 5 \\ 0 & 9 \end{bmatrix}$$",
    N_("The attention weights:"),
    r"$$A = \begin{bmatrix} 0.06 & 0.94 \\ 0.33 & 0.67 \end{bmatrix}$$",
    N_("The output of the head:"),
    r"$$A V = \begin{bmatrix} 0.11 & 3.78 \\ 0.66 & 2.68 \end{bmatrix}$$",
)
"""A text to begin with, which has one wrong number."""


def words_of(language: str) -> dict[str, str]:
    """All of them in one language."""
    words, shared = words_in(language), page_words.words_of("explore", language)
    sample = "\n\n".join(text if text.startswith("$") else words(text) for text in _SAMPLE)
    own = {name: words(text) for name, text in _WORDS.items()}
    return (
        own
        | {name: shared[name] for name in _SHARED}
        | {"sample_text": f"{sample}\n", "scale:sqrt_dk": "√d_k"}
    )
