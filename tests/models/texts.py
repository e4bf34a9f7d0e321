"""Tokens as text: pieces separated by blanks, "##" continues a word, pieces in square brackets are special."""

from mha_core.models import Tokens


def tokens_of(pieces, segments=None):
    texts = tuple(pieces.split())
    special = tuple(text in ("[CLS]", "[SEP]") for text in texts)
    words, count = [], -1
    for text, apart in zip(texts, special, strict=True):
        count += not apart and not text.startswith("##")
        words.append(None if apart else count)
    ids = {text: number for number, text in enumerate(dict.fromkeys(texts))}
    return Tokens(
        ids=tuple(ids[text] for text in texts),
        texts=texts,
        words=tuple(words),
        special=special,
        segments=segments or (0,) * len(texts),
        unknown=tuple("?" if text == "[UNK]" else None for text in texts),
    )
