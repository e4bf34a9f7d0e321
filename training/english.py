"""A clause in English: agreement, tenses, articles and pronouns."""

from __future__ import annotations

from random import Random

from training import inflect
from training.clause import Clause, Phrase, likely, pick

NUMBERS = ("", "", "two", "three", "four", "five")
OBJECT_OF = {"i": "me", "you": "you", "he": "him", "she": "her", "it": "it", "we": "us", "they": "them"}
_SHORT = {
    "do not": "don't", "does not": "doesn't", "did not": "didn't", "is not": "isn't", "are not": "aren't",
    "was not": "wasn't", "were not": "weren't", "will not": "won't", "can not": "can't", "has not": "hasn't",
    "have not": "haven't", "should not": "shouldn't", "must not": "mustn't", "could not": "couldn't",
    "i am": "i'm", "you are": "you're", "he is": "he's", "she is": "she's", "it is": "it's", "we are": "we're",
    "they are": "they're", "i will": "i'll", "he will": "he'll", "she will": "she'll", "we will": "we'll",
    "i have": "i've", "we have": "we've", "let us": "let's",
}  # fmt: skip
_OF_MANY = {"this": "these", "that": "those"}
_ADVERBS = ("often", "always", "sometimes", "usually", "never", "also", "still")


def shorten(random: Random, text: str) -> str:
    """Half of the texts are told as people speak: "didn't", "I'm"."""
    if likely(random, 0.5):
        return text
    padded = f" {text} "
    for long, short in _SHORT.items():
        padded = padded.replace(f" {long} ", f" {short} ")
    return padded.strip()


def plain(phrase: Phrase) -> str:
    """``plain`` of the two big cats is "the two big cats"; a pronoun is in its subject form."""
    if phrase.noun is None:
        return str(phrase.pronoun)
    noun = phrase.noun.plural if phrase.many else phrase.noun.en
    words = f"{phrase.adjective.en} {noun}" if phrase.adjective else noun
    if phrase.determiner == "count":
        return f"{NUMBERS[phrase.count]} {words}"
    if phrase.determiner == "a":
        return inflect.article(words)
    determiner = _OF_MANY.get(phrase.determiner, phrase.determiner) if phrase.many else phrase.determiner
    return f"{determiner} {words}".strip()


def is_many(phrase: Phrase) -> bool:
    """Whether its verb is in the plural."""
    return phrase.many or phrase.pronoun in ("you", "we", "they")


def be(phrase: Phrase, past: bool = False) -> str:
    """The form of "to be" that agrees with it."""
    if phrase.pronoun == "i":
        return "was" if past else "am"
    if is_many(phrase):
        return "were" if past else "are"
    return "was" if past else "is"


def said(random: Random, clause: Clause) -> str:
    """The clause as a sentence without its full stop."""
    helper, main = _verb(random, clause)
    subject = plain(clause.subject)
    negated = " not" if clause.negative else ""
    if clause.asks:
        body = f"{helper or _do(clause)} {subject} {main if helper else clause.verb.forms[0]}"
    elif negated:
        body = f"{subject} {helper or _do(clause)} not {main if helper else clause.verb.forms[0]}"
    else:
        often = clause.tense == "present" and not clause.time and likely(random, 0.12)
        body = " ".join(filter(None, (subject, helper, pick(random, _ADVERBS) if often else "", main)))
    body = " ".join(filter(None, (body, clause.verb.particle, _object(clause), _place(clause))))
    if clause.time is None:
        return shorten(random, body)
    first = not clause.asks and likely(random, 0.35)
    return shorten(random, f"{clause.time[0]} {body}" if first else f"{body} {clause.time[0]}")


def _verb(random: Random, clause: Clause) -> tuple[str, str]:
    """The auxiliary, empty where there is none, and the form of the verb that goes with it."""
    base, third, past, participle, ing = clause.verb.forms
    singular = not is_many(clause.subject) and clause.subject.pronoun != "i"
    match clause.tense:
        case "past":
            return "", past
        case "present":
            return "", third if singular else base
        case "now":
            was = clause.time is None and likely(random, 0.3)
            return be(clause.subject, was), ing
        case "done":
            return "has" if singular else "have", participle
        case "want":
            if clause.negative or clause.asks:
                return "does" if singular else "do", f"{'not ' * clause.negative}want to {base}".removeprefix(
                    "not "
                )
            return "", f"{'wants' if singular else 'want'} to {base}"
        case "future":
            return "will", base
        case other:
            return other, base


def _do(clause: Clause) -> str:
    if clause.tense == "past":
        return "did"
    return "do" if is_many(clause.subject) or clause.subject.pronoun == "i" else "does"


def _object(clause: Clause) -> str:
    if clause.object is None:
        return ""
    return OBJECT_OF[clause.object.pronoun] if clause.object.pronoun else plain(clause.object)


def _place(clause: Clause) -> str:
    if clause.place is None or clause.place.noun is None:
        return ""
    if clause.place.noun.en == "home":
        return "at home"
    return f"{clause.place.noun.at} {plain(clause.place)}"
