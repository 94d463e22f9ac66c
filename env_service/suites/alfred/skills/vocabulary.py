"""LoTa-Bench's 214 skills as words (docs/alfred-rules.md, "Skills"), and how words are read as one
of them."""

import re
from collections.abc import Collection, Iterator, Mapping

from env_service.domain.action import ActionSpace, Parameter, Skill
from env_service.suites.alfred.object_words import (
    ALL,
    OPENABLE,
    PICKABLE,
    SLICEABLE,
    SWITCHABLE,
    types_meant,
    words_of,
)
from env_service.suites.alfred.skills.steps import SkillStep, Verb

OBJECTS: Mapping[Verb, tuple[str, ...]] = {
    Verb.FIND: ALL,
    Verb.PICK_UP: PICKABLE,
    Verb.PUT_DOWN: PICKABLE,
    Verb.OPEN: OPENABLE,
    Verb.CLOSE: OPENABLE,
    Verb.SLICE: SLICEABLE,
    Verb.TURN_ON: SWITCHABLE,
    Verb.TURN_OFF: SWITCHABLE,
}
"""The types that each skill may name: 80, 53, 53, 7, 7, 5, 4 and 4."""

STEPS: tuple[SkillStep, ...] = (
    *(SkillStep(verb, each) for verb, types in OBJECTS.items() for each in types),
    SkillStep(Verb.DONE),
)
"""All 214, in an order that stays."""

_DESCRIPTIONS: Mapping[Verb, str] = {
    Verb.FIND: "Goes to the nearest object of that kind, and looks at it.",
    Verb.PICK_UP: "Takes the object in the hand, which has to be empty.",
    Verb.PUT_DOWN: "Puts what is in the hand in or on what was found right before, or found and"
    " opened. Where nothing was, it is dropped.",
    Verb.OPEN: "Opens the object.",
    Verb.CLOSE: "Closes the object.",
    Verb.SLICE: "Cuts the object, which must not be in the hand.",
    Verb.TURN_ON: "Turns the object on.",
    Verb.TURN_OFF: "Turns the object off.",
    Verb.DONE: "Says that the command is fulfilled.",
}


def skill_text(step: SkillStep) -> str:
    """LoTa-Bench's string for a step: "find an apple", "put down the mug", "done"."""
    if step.verb is Verb.DONE:
        return "done"
    return f"{step.verb.value} {_with_article(step.verb, step.object)}"


def _with_article(verb: Verb, object_type: str) -> str:
    words = words_of(object_type)
    if verb is not Verb.FIND:
        return f"the {words}"
    return f"{'an' if words[0].lower() in 'aeiou' else 'a'} {words}"


SKILLS: tuple[str, ...] = tuple(skill_text(each) for each in STEPS)
"""The 214 strings, in the order of STEPS."""


def parse_skill(
    text: str, *, synonyms: bool = False, present: Collection[str] = ()
) -> SkillStep | None:
    """The step that a text means if it is one of the 214 strings; otherwise None.

    Letter case, blanks, a missing or another article, a number in front ("3. ") and a full stop
    at the end do not matter, nor whether an object's words are written as one ("countertop") or
    apart ("bath tub"): LoTa-Bench's strings disagree on that with ALFRED's commands. Other words
    are unknown, as in LoTa-Bench.

    Args:
        text: the agent's words.
        synonyms: also accepts the words of `synonyms.SYNONYMS`.
        present: the object types of the scene. If a synonym may mean several types, it means the
            first of them in this list, or else the first of all.
    """
    verb, words = split_skill(text)
    if verb is None:
        return None
    if verb is Verb.DONE:
        return None if words else SkillStep(verb)
    meant = named_types(words, synonyms=synonyms)
    able = [each for each in meant if each in OBJECTS[verb]]
    found = next((each for each in able if each in present), able[0] if able else None)
    return None if found is None else SkillStep(verb, found)


def split_skill(text: str) -> tuple[Verb | None, str]:
    """The verb that a text begins with, None for none, and the words behind it without article,
    as small letters with single blanks."""
    words = " ".join(_NUMBER.sub("", text).lower().split()).rstrip(". ")
    for verb in Verb:
        if words == verb.value:
            return verb, ""
        if words.startswith(f"{verb.value} "):
            return verb, _ARTICLE.sub("", words[len(verb.value) + 1 :])
    return None, words


def named_types(words: str, *, synonyms: bool = False) -> tuple[str, ...]:
    """The object types that words without article stand for; more than one only of synonyms."""
    joined = words.replace(" ", "")
    if joined in _TYPES:
        return (_TYPES[joined],)
    return types_meant(words) if synonyms else ()


def action_space(*, question: bool = False) -> ActionSpace:
    """The skills in the form that an agent gets: the name, a blank and the choice are exactly
    LoTa-Bench's string. ``question`` adds a skill that asks one."""
    return ActionSpace((*_skills(), *([_ASK] if question else [])))


def _skills() -> Iterator[Skill]:
    for verb in Verb:
        types = OBJECTS.get(verb)
        if types is None:
            yield Skill(verb.value, _DESCRIPTIONS[verb])
            continue
        choices = tuple(_with_article(verb, each) for each in types)
        parameter = Parameter("object", "What it is done to.", choices)
        yield Skill(verb.value, _DESCRIPTIONS[verb], (parameter,))


_ASK = Skill(
    "ask",
    "Asks the person who gave the command, once and before the first step.",
    (Parameter("question", "What to ask."),),
)

_TYPES = {words_of(each).lower().replace(" ", ""): each for each in ALL}
_NUMBER = re.compile(r"^\s*\d+\s*[.)]?\s*")
_ARTICLE = re.compile(r"^(?:an|a|the)\s+")
