"""What the expert has learned of one room: things that the rules allow and the room does not."""

from __future__ import annotations

from env_service.suites.asgard.doing import Done
from env_service.suites.asgard.refusal import PHYSICAL
from env_service.suites.asgard.view import ThorObject
from env_service.suites.asgard.vocabulary import Verb


class Experience:
    """Lasts over all attempts at one task: the room is the same each time."""

    def __init__(self) -> None:
        self._failed: set[tuple[Verb, str | None, str]] = set()
        self._full: set[tuple[str, str]] = set()

    def note(self, verb: Verb, done: Done) -> None:
        """Learns from one action."""
        for error in done.errors:
            if error.instance is not None and error.refusal.reason in PHYSICAL:
                self._failed.add((verb, done.held, error.instance))
        if done.success and done.instance is not None:
            self._failed.discard((verb, done.held, done.instance))

    def hopeless(self, verb: Verb, held: str, item: ThorObject) -> bool:
        """Whether the action failed on this very object with such a thing in the hand (empty for
        an empty hand)."""
        return (verb, held or None, item["name"]) in self._failed

    def note_full(self, kind: str, place: str) -> None:
        """Learns that no place of a type took an object of another as things were."""
        self._full.add((kind, place))

    def was_full(self, kind: str, place: str) -> bool:
        """Whether that has been learned."""
        return (kind, place) in self._full

    def forget(self, verb: Verb, held: str) -> None:
        """Gives all objects another chance: what was in the way may be gone."""
        self._failed = {each for each in self._failed if each[:2] != (verb, held or None)}
