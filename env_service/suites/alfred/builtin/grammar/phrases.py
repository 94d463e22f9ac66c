"""What the templates of English commands are filled with."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random

from env_service.suites.alfred.builtin.grammar.english_nouns import (
    noun,
    other_nouns,
    plural,
    preposition,
    with_article,
)
from env_service.suites.alfred.task import Goal, TaskType


@dataclass(frozen=True, slots=True)
class Nouns:
    """Singular nouns for the parts of a goal; empty where it has no such part."""

    thing: str
    parent: str = ""
    movable: str = ""
    lamp: str = ""


def plain_nouns(goal: Goal) -> Nouns:
    """The skills' own nouns."""
    return Nouns(
        noun(goal.object, sliced=goal.sliced),
        noun(goal.parent) if goal.parent else "",
        noun(goal.movable) if goal.movable else "",
        noun(goal.toggle) if goal.toggle else "",
    )


def drawn_nouns(goal: Goal, room: str, draw: Random) -> Nouns:
    """Other nouns where there are any; slices stay slices."""

    def drawn(kind: str) -> str:
        return draw.choice(other_nouns(kind, room)) if kind else ""

    thing = noun(goal.object, sliced=True) if goal.sliced else drawn(goal.object)
    return Nouns(thing, drawn(goal.parent), drawn(goal.movable), drawn(goal.toggle))


def fillings(goal: Goal, nouns: Nouns) -> dict[str, str]:
    """The fields of templates.

    "thing" and "things" are the bare nouns; "a" is what is carried, with its article or number;
    "it" the pronoun for it; "to" and "into" where it goes; "place" that without its preposition;
    "movable", "a_movable", "in_movable" what goes along; "lamp" the lamp with its article.
    """
    two = goal.type is TaskType.TWO
    where = preposition(goal.parent)
    return {
        "thing": nouns.thing,
        "things": plural(nouns.thing),
        "a": f"two {plural(nouns.thing)}" if two else with_article(nouns.thing),
        "it": "them" if two else "it",
        "place": f"the {nouns.parent}",
        "to": f"{where} the {nouns.parent}",
        "into": f"{where}to the {nouns.parent}",
        "movable": nouns.movable,
        "movables": plural(nouns.movable) if nouns.movable else "",
        "a_movable": with_article(nouns.movable) if nouns.movable else "",
        "in_it": f"{preposition(goal.movable)} it",
        "in_movable": f"{preposition(goal.movable)} {with_article(nouns.movable)}"
        if nouns.movable
        else "",
        "lamp": f"the {nouns.lamp}",
    }
