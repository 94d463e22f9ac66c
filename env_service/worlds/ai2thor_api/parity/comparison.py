"""Follows two worlds through the same actions, one row an action, with their pictures."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from env_service.worlds.ai2thor_api.controller import ThorEvent
from env_service.worlds.ai2thor_api.parity.answers import (
    PLACES,
    RETURN,
    SUCCESS,
    ActionAnswer,
    kind_of,
    overlap,
    verdicts,
)
from env_service.worlds.ai2thor_api.parity.states import (
    ACTIONS,
    ALL,
    CONTINUOUS,
    PICTURES,
    Difference,
    Place,
    Snapshot,
    Tallies,
    changes,
    compare,
)
from env_service.worlds.ai2thor_api.parity.tolerances import Tolerances

EFFECTS, STATE = "effects", "state"
"""Whether an action changed the same things in both worlds, and whether it left no difference of
state that was not there before."""

MOST_DIFFERENCES = 150
"""Differences that one row lists."""

MOST_EFFECTS = 30
"""Effects that one row lists."""

UNCHANGED, CHANGED = "unchanged", "changed"

MASKS, COLOUR, OVERLAP = "masks", "colour", "overlap"

Row = dict[str, Any]
"""One action as a report has it: see `Comparing.after`."""


@dataclass(frozen=True)
class Moment:
    """A world after an action: what it answered, its state when all had settled, and the event
    with its pictures if those are compared."""

    answer: ActionAnswer
    state: Snapshot
    event: ThorEvent | None = None


@dataclass
class Comparison:
    """Two worlds on the way.

    Once states differ, an equal action may well have unequal results. So a row says what is new:
    differences that the row before did not have, and whether the action's effects, the changes
    that it made to each world, are the same. ``without`` are quantities that are not compared.
    """

    tolerances: Tolerances
    tallies: Tallies = field(default_factory=Tallies)
    without: frozenset[str] = frozenset()
    _before: tuple[Snapshot, Snapshot] | None = None
    _standing: frozenset[Place] = frozenset()

    def after(self, action: Mapping[str, Any], left: Moment, right: Moment) -> Row:
        """Compares what an action, a mapping with the key "action", came to in both worlds.

        A row holds "action", "arguments", "success" [left, right]; "differs", the names of what
        does not agree, if anything; "left" and "right", the answers, where they differ, with
        "overlap" where they are lists of places; "effects", what the action changed in one world
        and not, or otherwise, in the other, as [id, quantity, left, right]; "new", the new
        differences of state, likewise; "standing", how many differences there are now; "masks"
        and "colour", where pictures are compared and differ.
        """
        name = str(action["action"])
        found = verdicts(left.answer, right.answer, self.tolerances)
        new, effects = self._state(left.state, right.state, found)
        for part, agreed in found.items():
            self.tallies.count(ACTIONS, name, part, agreed=agreed)
        row: Row = {
            "action": name,
            "arguments": {key: value for key, value in action.items() if key != "action"},
            "success": [left.answer.success, right.answer.success],
        }
        differs = [part for part, agreed in found.items() if not agreed]
        if differs:
            row["differs"] = differs
        if set(differs) - {EFFECTS, STATE}:
            row["left"], row["right"] = left.answer.to_json(), right.answer.to_json()
        if RETURN in differs and kind_of(left.answer.value or right.answer.value) in PLACES:
            share = overlap(left.answer.value, right.answer.value, self.tolerances)
            row[OVERLAP] = round(share, 3)
        if effects:
            row["effects"] = effects[:MOST_EFFECTS]
        row |= _listed(new)
        if self._standing:
            row["standing"] = len(self._standing)
        return row | self._pictures(left.event, right.event)

    def start_again(self) -> None:
        """The next moments follow from none before: both worlds were opened anew."""
        self._before, self._standing = None, frozenset()

    def diverged(self, row: Row) -> bool:
        """Whether a row shows the worlds to part: one took the action and the other did not, or
        the state differs anew."""
        return bool({SUCCESS, STATE} & set(row.get("differs", ())))

    def _state(
        self, left: Snapshot, right: Snapshot, found: dict[str, bool]
    ) -> tuple[list[Difference], list[list[Any]]]:
        comparison = compare(left, right, self.tolerances, self.without)
        self.tallies.state(comparison)
        effects: list[list[Any]] = []
        if self._before is not None:
            done = [
                changes(before, now, self.tolerances)
                for before, now in zip(self._before, (left, right), strict=True)
            ]
            effects = _unlike(done[0], done[1])
            found[EFFECTS] = not effects
        new = [each for each in comparison.differences if each.place not in self._standing]
        found[STATE] = not any(not each.of_sight for each in new)
        self._before = (left, right)
        self._standing = frozenset(each.place for each in comparison.differences)
        return new, effects

    def _pictures(self, left: ThorEvent | None, right: ThorEvent | None) -> Row:
        if left is None or right is None:
            return {}
        pictures = compare_pictures(left, right)
        different = pictures.different(self.tolerances)
        for id_ in pictures.overlaps:
            self.tallies.count(PICTURES, ALL, MASKS, agreed=id_ not in different)
        row: Row = {MASKS: different} if different else {}
        if pictures.colour is not None:
            alike = pictures.colour <= self.tolerances.colour
            self.tallies.count(PICTURES, ALL, COLOUR, agreed=alike)
            row |= {} if alike else {COLOUR: round(pictures.colour, 2)}
        return row


def _unlike(left: Mapping[Place, Any], right: Mapping[Place, Any]) -> list[list[Any]]:
    return [
        [*place, _change(left, place), _change(right, place)]
        for place in dict.fromkeys((*left, *right))
        if place not in left or place not in right or left[place] != right[place]
    ]


def _change(changed: Mapping[Place, Any], place: Place) -> Any:
    if place not in changed:
        return UNCHANGED
    return CHANGED if place[1] in CONTINUOUS else changed[place]


def _listed(new: list[Difference]) -> Row:
    if not new:
        return {}
    # What is so comes before what is merely seen, should there be too many.
    ordered = sorted(new, key=lambda each: each.of_sight)
    listed = [[e.id, e.quantity, _short(e, e.left), _short(e, e.right)] for e in ordered]
    row: Row = {"new": listed[:MOST_DIFFERENCES]}
    if len(listed) > MOST_DIFFERENCES:
        row["more"] = len(listed) - MOST_DIFFERENCES
    return row


def _short(difference: Difference, value: Any) -> Any:
    if difference.quantity not in CONTINUOUS or value is None:
        return value
    if isinstance(value, Mapping):
        if "center" in value:
            return [_rounded(value[part][axis]) for part in ("center", "size") for axis in "xyz"]
        return [_rounded(value[axis]) for axis in "xyz"]
    return _rounded(value)


def _rounded(value: Any) -> float | str:
    """A text for infinity and NaN, which JSON lacks."""
    number = float(value)
    return round(number, 3) if math.isfinite(number) else str(number)


# --- Two pictures side by side: where objects are in them, and their colours


@dataclass(frozen=True, slots=True)
class PictureComparison:
    """``overlaps`` is by object id the intersection over union of its two masks, 0 where only one
    picture shows it. ``colour`` is the mean difference of channels, of 255; None where a picture
    is missing or they differ in size."""

    overlaps: dict[str, float]
    colour: float | None

    def different(self, tolerances: Tolerances) -> dict[str, float]:
        """The overlaps that are too small."""
        least = tolerances.least_mask
        return {id_: round(iou, 3) for id_, iou in self.overlaps.items() if iou < least}


def compare_pictures(left: ThorEvent, right: ThorEvent) -> PictureComparison:
    """Compares the agents' views. Masks need renderInstanceSegmentation."""
    masks, others = left.instance_masks, right.instance_masks
    ids = dict.fromkeys((*masks, *others))
    overlaps = {
        id_: _overlap(masks[id_], others[id_]) if id_ in masks and id_ in others else 0.0
        for id_ in ids
    }
    return PictureComparison(overlaps, _colour_difference(left, right))


def _overlap(left: np.ndarray, right: np.ndarray) -> float:
    if left.shape != right.shape:
        return 0.0
    union = np.count_nonzero(left | right)
    return float(np.count_nonzero(left & right) / union) if union else 1.0


def _colour_difference(left: ThorEvent, right: ThorEvent) -> float | None:
    one, other = left.frame, right.frame
    if one is None or other is None or one.shape != other.shape:
        return None
    return float(np.abs(one.astype(np.int16) - other.astype(np.int16)).mean())
