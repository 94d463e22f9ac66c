"""The Korean command (wording K)."""

from __future__ import annotations

from collections.abc import Mapping
from random import Random

from env_service.suites.alfred.builtin.grammar.english_nouns import preposition
from env_service.suites.alfred.builtin.grammar.korean_nouns import counter, korean
from env_service.suites.alfred.builtin.grammar.particles import KoreanNoun
from env_service.suites.alfred.task import Goal, TaskType

_Texts = tuple[str, ...]

_PLAIN: _Texts = (
    "{what:을} {where} {put}.",
    "{what:을} 찾아서 {where} {put}.",
    "{what:을} 가져다가 {where} {put}.",
)
_MOVING: _Texts = ("{what:을} {way:으로} 옮겨 주세요.",)
_KEEPING: _Texts = ("{what:은} {where} {keep}.",)

_LOOKING: _Texts = (
    "{lamp:을} 켜고 {what:을} 살펴봐 주세요.",
    "{what:을} {lamp} 불빛에 비춰 살펴봐 주세요.",
    "{lamp} 불빛 아래에서 {what:을} 살펴보세요.",
)

_CHANGING: _Texts = ("{what:을} {doing} {where} {put}.",)
_CHANGED: _Texts = ("{done} {what:을} {where} {put}.",)

_ALONG: _Texts = (
    "{what:을} {movable}에 {fill} {movable:을} {where} {put}.",
    "{what:을} {movable}에 {filled} 다음 그 {movable:을} {where} {put}.",
    "{what:을} {movable}에 {filling} {movable:과} 함께 {where} {put}.",
)
_HOLDING: _Texts = ("{what:이} {inside} {movable:을} {where} {put}.",)

_CUT = "{whole:을} 썰어 "
"""What comes before, where slices are meant."""

_DOING: Mapping[TaskType, _Texts] = {
    TaskType.CLEAN: ("깨끗이 씻어서", "물에 씻은 다음"),
    TaskType.HEAT: ("데워서", "따뜻하게 데운 다음"),
    TaskType.COOL: ("차갑게 식혀서", "차갑게 식힌 다음"),
}
_DONE: Mapping[TaskType, _Texts] = {
    TaskType.CLEAN: ("깨끗이 씻은", "깨끗하게 씻은"),
    TaskType.HEAT: ("데운", "따뜻하게 데운"),
    TaskType.COOL: ("차갑게 식힌", "차가운"),
}
_TOPS = frozenset({"Dresser", "Toilet"})

_LAUNDRY = frozenset({"Cloth", "HandTowel"})
_WASHED: Mapping[str, str] = {"씻어서": "빨아서", "씻은": "빤"}
"""Textiles are washed by another verb."""

_PUT: Mapping[str, tuple[_Texts, str]] = {
    "on": (("놓아 주세요", "올려놓아 주세요", "놓으세요"), "두세요"),
    "in": (("넣어 주세요", "넣으세요", "넣어 두세요"), "넣어 두세요"),
    "GarbageCan": (("버려 주세요", "버리세요"), "버려 주세요"),
    "ToiletPaperHanger": (("걸어 주세요", "거세요"), "걸어 두세요"),
    "CoffeeMachine": (("놓아 주세요", "올려 주세요"), "두세요"),
}
"""How one says that it is put there: as an order, and of where such things belong."""

_FILL: Mapping[str, tuple[str, str, str, str]] = {
    "Plate": ("올려놓고", "올려놓은", "담아", "놓인"),
    "Bowl": ("담고", "담은", "담아", "담긴"),
    "Pan": ("담고", "담은", "담아", "담긴"),
    "Pot": ("담고", "담은", "담아", "담긴"),
}
_FILL_OTHER = ("넣고", "넣은", "넣어", "든")
"""How one says that something is put in what goes along, and that it is in there."""


def korean_command(goal: Goal, room: str, draw: Random) -> str:
    """One sentence, polite."""
    manners = goal.parent if goal.parent in _PUT else preposition(goal.parent)
    put, keep = _PUT[manners]
    template, doing, done = _template(goal, draw), "", ""
    if goal.type in _DOING:
        doing, done = draw.choice(_DOING[goal.type]), draw.choice(_DONE[goal.type])
    fill, filled, filling, inside = _FILL.get(goal.movable, _FILL_OTHER)
    return template.format(
        what=KoreanNoun(_what(goal, room)),
        whole=KoreanNoun(korean(goal.object, room)),
        where=_where(goal.parent, room),
        way=_way(goal.parent, room),
        movable=_noun(goal.movable, room),
        lamp=_noun(goal.toggle, room),
        put=draw.choice(put),
        keep=keep,
        doing=_washing(goal, doing),
        done=_washing(goal, done),
        fill=fill,
        filled=filled,
        filling=filling,
        inside=inside,
    )


def _template(goal: Goal, draw: Random) -> str:
    chosen = draw.choice(_templates(goal))
    return _CUT + chosen if goal.sliced else chosen


def _templates(goal: Goal) -> _Texts:
    match goal.type:
        case TaskType.LOOK:
            return _LOOKING
        case TaskType.MOVABLE:
            return _ALONG if goal.sliced else _ALONG + _HOLDING
        case TaskType.CLEAN | TaskType.HEAT | TaskType.COOL:
            return _CHANGING if goal.sliced else _CHANGING + _CHANGED
    if goal.sliced:
        return _PLAIN[:1]
    more = () if goal.parent in _PUT else _MOVING
    return _PLAIN + more + (_KEEPING if goal.type is TaskType.SIMPLE else ())


def _what(goal: Goal, room: str) -> str:
    """What is carried; where it is cut first, the slices alone."""
    number = "두" if goal.type is TaskType.TWO else "한"
    if goal.sliced:
        return f"{number} 조각"
    thing = korean(goal.object, room)
    return f"{thing} 두 {counter(goal.object)}" if goal.type is TaskType.TWO else thing


def _where(parent: str, room: str) -> str:
    if not parent:
        return ""
    over = preposition(parent) == "on" and parent not in _PUT
    return f"{korean(parent, room)}{' 위' if over else ''}에"


def _way(parent: str, room: str) -> KoreanNoun | str:
    """Where it is moved to; of what can be opened as well, the top."""
    if parent in _TOPS:
        return KoreanNoun(f"{korean(parent, room)} 위")
    return _noun(parent, room)


def _noun(kind: str, room: str) -> KoreanNoun | str:
    return KoreanNoun(korean(kind, room)) if kind else ""


def _washing(goal: Goal, words: str) -> str:
    if goal.object not in _LAUNDRY:
        return words
    *before, last = words.split(" ")
    return " ".join((*(_WASHED.get(each, each) for each in before), _WASHED.get(last, last)))
