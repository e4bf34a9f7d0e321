"""A clause in 中文: measure words, 了, 正在, 不 and 没有, words of place. It draws nothing: the clause says all."""

from __future__ import annotations

from training.clause import Clause, Phrase

NUMBERS = ("", "", "两", "三", "四", "五")
PRONOUNS = {"i": "我", "you": "你", "he": "他", "she": "她", "it": "它", "we": "我们", "they": "他们"}
_OWNERS = {"my": "我的", "your": "你的", "his": "他的", "her": "她的", "our": "我们的", "their": "他们的"}
_MODAL = {"future": "会", "can": "能", "must": "必须", "should": "应该", "want": "想", "may": "可能"}
_NOT_MODAL = {"must": "不必", "may": "可能不"}


def said(clause: Clause) -> str:
    """The clause as a sentence without its full stop."""
    time = clause.time[1] if clause.time else ""
    return f"{phrase(clause.subject)}{time}{predicate(clause)}{'吗' if clause.asks else ''}"


def phrase(one: Phrase) -> str:
    """``这只大猫``; the definite has no article."""
    if one.noun is None:
        return PRONOUNS[str(one.pronoun)]
    noun, measure = one.noun.zh, one.noun.measure
    adjective = "" if one.adjective is None else attribute(one.adjective.zh)
    if one.determiner in _OWNERS:
        return f"{_OWNERS[one.determiner]}{adjective}{noun}"
    if one.determiner in ("this", "that"):
        which = "这" if one.determiner == "this" else "那"
        return f"{which}{'些' if one.many or not one.noun.plural else measure}{adjective}{noun}"
    if one.determiner == "count":
        return f"{NUMBERS[one.count]}{measure}{adjective}{noun}"
    if one.determiner == "a":
        return f"一{measure}{adjective}{noun}"
    if one.many and one.determiner == "the":
        return f"这些{adjective}{noun}"
    return f"{adjective}{noun}"


def attribute(zh: str) -> str:
    """An adjective before its noun: 大, but 美丽的."""
    return zh if len(zh) == 1 else zh + "的"


def predicate(clause: Clause) -> str:
    """The verb with its aspect, its object, and its place: 坐在垫子上, but 在公园里玩."""
    verb = clause.verb.zh + ("" if clause.object is None else phrase(clause.object))
    if clause.place is None:
        return _aspect(clause, clause.verb.zh, clause.verb.state) + verb.removeprefix(clause.verb.zh)
    place = phrase(clause.place)
    if clause.place.noun is not None and clause.place.noun.zh != "家":
        place += clause.place.noun.zh_at
    return _aspect(clause, verb + place if verb.endswith("在") else f"在{place}{verb}", True)


def _aspect(clause: Clause, verb: str, lasting: bool) -> str:
    """The verb in its tense; one that tells a state, or says where, takes no 了."""
    match clause.tense:
        case "past" if clause.negative:
            return "没有" + verb
        case "past":
            return verb if lasting else verb + "了"
        case "done" if clause.negative:
            return "还没有" + verb
        case "done":
            return "已经" + (verb if lasting else verb + "了")
        case "now":
            return "正" + verb if clause.place else "正在" + verb
        case "present":
            return ("不" if clause.negative else "") + verb
        case other if clause.negative:
            return _NOT_MODAL.get(other, "不" + _MODAL[other]) + verb
        case other:
            return _MODAL[other] + verb
