"""The words in which goal conditions are told."""

from __future__ import annotations

from env_service.suites.alfred.names import words_of
from env_service.suites.alfred.task import Goal


class Phrases:
    """The parts of a goal in words: "an apple", "slice of bread", "in or on a counter top"."""

    def __init__(self, goal: Goal) -> None:
        self.kind = words_of(goal.object)
        self.whole = with_article(self.kind)
        self.object = f"slice of {self.kind}" if goal.sliced else self.kind
        self.an_object = with_article(self.object)
        self.parent = words_of(goal.parent)
        self.at_parent = f"in or on {with_article(self.parent)}"
        self.a_movable = with_article(words_of(goal.movable))
        self.a_toggle = with_article(words_of(goal.toggle))


def with_article(words: str) -> str:
    """With "a", or "an" before a vowel's letter, as in the skills (spec section 3.2)."""
    return f"{'an' if words[:1].lower() in set('aeiou') else 'a'} {words}"
