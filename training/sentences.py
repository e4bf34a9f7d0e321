"""Sentences in which a word depends on another one far away. Each is in English and 中文; "*" is before such a word.

Places, numbers and lengths are drawn, so that only the words themselves say where to look.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from random import Random

from training import chinese, english
from training.clause import Clause, Phrase, draw_clause, likely, phrase, pick, pick_noun, pronoun_for
from training.words import NAMES, Adjective, Lexicon, Noun, Reason, Verb

Both = tuple[str, str]

_COLORS = "红蓝绿黄白黑棕粉灰紫橙"
_DONE = frozenset({"生病", "坏", "准备好", "迟到"})
_FLAT = frozenset({"免费", "有毒"})
_HOW = (("very", "很"), ("really", "真"), ("so", "太"), ("too", "太"), ("", "很"), ("", "很"))
_ZH_PRONOUN = {"he": "他", "she": "她", "it": "它", "they": "他们"}


def plain(random: Random, words: Lexicon) -> Both:
    """Who does what."""
    clause = draw_clause(random, words)
    if likely(random, 0.12):
        asked = replace(clause, asks=True, negative=False)
        return english.said(random, asked) + " ?", chinese.said(asked) + "？"
    return english.said(random, clause), chinese.said(clause)


def is_so(random: Random, words: Lexicon) -> Both:
    """A thing is as its adjective says: the verb agrees with the noun that comes first, whatever stands between."""
    adjective = pick(random, words.adjectives)
    noun = pick_noun(random, adjective.nouns)
    subject = phrase(random, words, noun, 0)
    how, zh_how = pick(random, _HOW)
    past = likely(random, 0.4)
    between, zh_between = _between(random, words, subject)
    en = f"{english.plain(subject)} {between} *{english.be(subject, past)} {how} *{adjective.en}"
    zh = chinese.phrase(replace(subject, noun=replace(noun, zh="")) if zh_between else subject)
    zh += f"{zh_between}*{noun.zh}" if zh_between else ""
    return english.shorten(random, " ".join(en.split())), zh + _zh_is(zh_how, adjective)


def _zh_is(how: str, adjective: Adjective) -> str:
    if adjective.zh in _COLORS:
        return f"是*{adjective.zh}色的"
    if adjective.zh in _FLAT:
        return f"是*{adjective.zh}的"
    return f"*{adjective.zh}了" if adjective.zh in _DONE else f"{how}*{adjective.zh}"


def _between(random: Random, words: Lexicon, subject: Phrase) -> Both:
    """What may stand between a noun and its verb: nothing, a place, or what it did."""
    noun = subject.noun
    if noun is None or noun.kind in NAMES or likely(random, 0.4):
        return "", ""
    verbs = words.doings[noun]
    if not verbs or likely(random, 0.4):
        place = phrase(
            random, words, pick_noun(random, words.kinds[pick(random, ("seat", "room", "outdoors"))]), 0
        )
        where = place.noun.at if place.noun else ""
        return (
            f"{where} {english.plain(place)}",
            f"在{chinese.phrase(place)}{place.noun.zh_at if place.noun else ''}的",
        )
    clause = replace(draw_clause(random, words, pick(random, verbs), subject), time=None, tense="past")
    did = english.said(random, clause).removeprefix(english.plain(subject))
    return f"that {did}", chinese.predicate(clause) + "的"


def reason(random: Random, words: Lexicon) -> Both:
    """Somebody did not do something because "it" was too …: who "it" is hangs on the adjective."""
    because = pick(random, words.reasons)
    who, what = _reason_nouns(random, because)
    of_who = likely(random, 0.5)
    adjective, zh_adjective = pick(random, because.of_who if of_who else because.of_what)
    meant, other = (who, what) if of_who else (what, who)
    pronoun = _pronoun(random, meant)
    past = likely(random, 0.7)
    did_not = _did_not(because.verb, who, past)
    was = english.be(meant, past)
    main = f"{english.plain(who)} {did_not} {english.plain(what)}"
    why = f"*{pronoun} *{was} too *{adjective}"
    zh_main, zh_why = _zh_main(because, who, what), f"*{_chinese_pronoun(pronoun, meant)}太*{zh_adjective}了"
    shape = random.random()
    if shape < 0.12:
        en, zh = f"because {why} , {main}", f"因为{zh_why}，{zh_main}"
    elif shape < 0.24:
        en = f"{english.plain(meant)} {was} too {adjective} , so {_short_main(because, who, what, past, of_who)}"
        zh = f"{chinese.phrase(meant)}太*{zh_adjective}了，所以{zh_main}"
    else:
        en, zh = f"{main} because {why}", f"{zh_main}，因为{zh_why}"
    if likely(random, 0.35):
        more, zh_more = _asked_which(random, meant, other, (adjective, zh_adjective), was)
        en, zh = f"{en} . {more}", f"{zh}。{zh_more}"
    return english.shorten(random, en), zh


def _reason_nouns(random: Random, because: Reason) -> tuple[Phrase, Phrase]:
    who, what = (pick_noun(random, nouns) for nouns in (because.verb.subjects, because.verb.objects))
    while what == who:
        what = pick_noun(random, because.verb.objects)
    return _definite(random, who), _definite(random, what)


def _definite(random: Random, noun: Noun) -> Phrase:
    if noun.kind in NAMES:
        return Phrase(noun, "")
    many = noun.plural == noun.en or (bool(noun.plural) and likely(random, 0.45))
    return Phrase(noun, pick(random, ("the", "the", "the", "my", "that")), many)


def _pronoun(random: Random, meant: Phrase) -> str:
    if meant.many or meant.noun is None:
        return "they"
    pronoun = pronoun_for(random, meant.noun)
    return pronoun if pronoun in ("he", "she", "it") else pick(random, ("he", "she"))


def _chinese_pronoun(pronoun: str, meant: Phrase) -> str:
    """Things and animals in the plural have a pronoun of their own."""
    return "它们" if pronoun == "they" and _is_thing(meant) else _ZH_PRONOUN[pronoun]


def _did_not(verb: Verb, who: Phrase, past: bool) -> str:
    do = "did" if past else "do" if english.is_many(who) else "does"
    return " ".join(f"{do} not {verb.forms[0]} {verb.particle}".split())


def _short_main(because: Reason, who: Phrase, what: Phrase, past: bool, of_who: bool) -> str:
    """The result, with a pronoun for what has been named."""
    did_not = _did_not(because.verb, who, past)
    if of_who:
        return (
            f"*{'they' if who.many else 'it'} {did_not} {english.plain(what)}"
            if _is_thing(who)
            else (f"{english.plain(who)} {did_not} {english.plain(what)}")
        )
    return f"{english.plain(who)} {did_not} *{'them' if what.many else 'it'}"


def _is_thing(one: Phrase) -> bool:
    return one.noun is not None and one.noun.kind not in ("male", "female", "human", "worker", *NAMES)


def _zh_main(because: Reason, who: Phrase, what: Phrase) -> str:
    """What was not done; the verb may stand around its object."""
    before, around, after = because.verb.zh.partition("~")
    not_done = "" if "不" in before else "没有"
    return f"{chinese.phrase(who)}{not_done}{before}{chinese.phrase(what)}{after if around else ''}"


def _asked_which(random: Random, meant: Phrase, other: Phrase, adjective: Both, was: str) -> Both:
    """The noun itself, said again."""
    so, zh_so = adjective
    told, zh_told = _star(english.plain(meant)), "*" + chinese.phrase(meant)
    if likely(random, 0.5):
        who, zh_who = ("what", "什么") if _is_thing(meant) else ("who", "谁")
        return f"{who} {was} too {so} ? {told}", f"{zh_who}太{zh_so}了？{zh_told}"
    if likely(random, 0.5):
        return f"{told} {was} too {so}", f"{zh_told}太{zh_so}了"
    return (
        f"{told} {was} too {so} , not {english.plain(other)}",
        f"{zh_told}太{zh_so}了，不是{chinese.phrase(other)}",
    )


def _star(text: str) -> str:
    """The mark before the last word."""
    before, _, last = text.rpartition(" ")
    return f"{before} *{last}".strip()


def story(random: Random, words: Lexicon) -> Both:
    """Two to four things that the same person or animal does; a pronoun stands for it."""
    noun = pick_noun(
        random, words.kinds[pick(random, ("name", "name", "male", "female", "pet", "farm", "wild"))]
    )
    subject = phrase(random, words, noun, 0.1)
    verbs = words.doings[noun]
    pronoun = "they" if subject.many else pronoun_for(random, noun)
    clauses = [
        replace(draw_clause(random, words, pick(random, verbs), subject), tense="past", time=None)
        for _ in range(pick(random, (2, 2, 3, 4)))
    ]
    en, zh = [english.said(random, clauses[0])], [chinese.said(clauses[0])]
    for clause in clauses[1:]:
        en.append(_with_pronoun(english.said(random, clause), english.plain(subject), pronoun))
        zh.append(f"*{_chinese_pronoun(pronoun, subject)}{chinese.predicate(clause)}")
    join = pick(random, ((" . ", "。"), (" . then ", "。然后"), (" and ", "，")))
    more = _who_did(random, clauses, subject) if likely(random, 0.35) else None
    en_text, zh_text = join[0].join(en), join[1].join(zh)
    return (en_text, zh_text) if more is None else (f"{en_text} . {more[0]}", f"{zh_text}。{more[1]}")


def _with_pronoun(text: str, subject: str, pronoun: str) -> str:
    return f"*{pronoun}{text.removeprefix(subject)}"


def _who_did(random: Random, clauses: Sequence[Clause], subject: Phrase) -> Both:
    """A question about one of the clauses, and its answer."""
    clause = replace(pick(random, clauses), negative=False)
    told = english.said(random, clause).removeprefix(english.plain(subject))
    return (
        f"who{told} ? {_star(english.plain(subject))}",
        f"谁{chinese.predicate(clause)}？*{chinese.phrase(subject)}",
    )


_SHOWN = (("there is", "有"), ("i see", "我看见"), ("we have", "我们有"), ("she wants", "她想要"))


def counted(random: Random, words: Lexicon) -> Both:
    """The measure word of a noun, with a description between; in English, the number of the noun."""
    noun = pick_noun(random, [one for one in words.described if one.plural and words.described[one]])
    first = pick(random, words.described[noun])
    count = pick(
        random, ((1, "one", "一"), (2, "two", "两"), (3, "three", "三"), (4, "four", "四"), (5, "five", "五"))
    )
    thing = f"*{noun.plural if count[0] > 1 else noun.en}"
    zh = f"{count[2]}*{noun.measure}{chinese.attribute(first.zh)}*{noun.zh}"
    open_en, open_zh = pick(
        random, (("there is", "有"), ("i see", "我看见"), ("we have", "我们有"), ("she wants", "她想要"))
    )
    if open_en == "there is" and count[0] > 1:
        open_en = "there *are"
    return f"{open_en} *{count[1]} {first.en} {thing}", open_zh + zh
