"""How a world took an action and what it returned, and whether two worlds took it alike."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

from env_service.worlds.ai2thor_api.controller import ThorController, ThorEvent
from env_service.worlds.ai2thor_api.parity.states import distance, turn_about_axis
from env_service.worlds.ai2thor_api.parity.tolerances import Tolerances

MISTAKE = "ValueError"
"""The code of a refusal that was raised and for which the world's last event gives none."""

LONGEST = 300
"""Characters of a message that are kept."""

SUCCESS, CODE, MESSAGE, KIND, RETURN = "success", "error code", "message", "return kind", "return"
PARTS = (SUCCESS, CODE, MESSAGE, KIND, RETURN)


@dataclass(frozen=True, slots=True)
class ActionAnswer:
    """What a world said to one action: its error code, "" for none; its error message; and its
    actionReturn."""

    success: bool
    code: str = ""
    message: str = ""
    value: Any = None

    @staticmethod
    def of(event: ThorEvent) -> ActionAnswer:
        """From an event's metadata."""
        metadata = event.metadata
        return ActionAnswer(
            bool(metadata["lastActionSuccess"]),
            metadata.get("errorCode") or "",
            (metadata.get("errorMessage") or "")[:LONGEST],
            metadata.get("actionReturn"),
        )

    def to_json(self) -> dict[str, Any]:
        """Short, for a report."""
        if self.success:
            return {"success": True, "return": brief(self.value)}
        return {"success": False, "code": self.code, "message": self.message}


def ask(controller: ThorController, action: Mapping[str, Any]) -> ActionAnswer:
    """Plays an action. A mistake of the caller's, which the controller raises, is an answer.

    Raises:
        WorldFault: see `ThorController`.
    """
    try:
        return ActionAnswer.of(controller.step(dict(action)))
    except ValueError as error:
        last = ActionAnswer.of(controller.last_event)
        code = MISTAKE if last.success else last.code
        return ActionAnswer(success=False, code=code or MISTAKE, message=str(error)[:LONGEST])


def verdicts(left: ActionAnswer, right: ActionAnswer, tolerances: Tolerances) -> dict[str, bool]:
    """Which parts of two answers agree.

    Success always; the code and the message where both worlds refused; the kind of what was
    returned, and if that is the same its value, where both succeeded.
    """
    found = {SUCCESS: left.success == right.success}
    if not found[SUCCESS]:
        return found
    if not left.success:
        found[CODE] = left.code == right.code
        found[MESSAGE] = normalised(left.message) == normalised(right.message)
        return found
    found[KIND] = same_kind(left.value, right.value)
    if found[KIND] and kind_of(left.value) != "nothing":
        found[RETURN] = agree(left.value, right.value, tolerances)
    return found


def normalised(message: str) -> str:
    """A message without what differs from one case to another: AI2-THOR's stack trace and type of
    exception, object ids, numbers, spacing and case (docs/household.md, "Differences from
    AI2-THOR")."""
    text = re.sub(r"\.?\s*trace:.*", "", message, flags=re.DOTALL)
    text = re.sub(r"^\s*(\w+\.)*\w*(Exception|Error): ", "", text)
    text = re.sub(r"\w+(\|[+-]?[\w.]+)+", "<id>", text)
    text = re.sub(r"[+-]?\d+(\.\d+)?(e-?\d+)?", "#", text)
    return " ".join(text.casefold().split()).rstrip(".!")


# --- What actions return, side by side

PLACES = ("points", "poses")
"""The kinds of lists that have an `overlap`."""

_Cell = tuple[int, int, int]

_AROUND = sorted(product((-1, 0, 1), repeat=3), key=lambda step: sum(map(abs, step)))
"""Steps to a cell and its neighbours, itself first: that is where a partner mostly is."""

_POINT = {"x", "y", "z"}
_POSE = {*_POINT, "rotation", "standing", "horizon"}


def kind_of(value: Any) -> str:
    """One of nothing, truth, number, text, point, pose, mapping, list, points, poses."""
    match value:
        case None:
            return "nothing"
        case bool():
            return "truth"
        case int() | float():
            return "number"
        case str():
            return "text"
        case Mapping():
            return {3: "point", 6: "pose"}.get(len(value) if _is_place(value) else 0, "mapping")
        case Sequence():
            first = kind_of(value[0]) if value else ""
            keys = {"point": _POINT, "pose": _POSE}.get(first)
            return f"{first}s" if keys and _are_places(value, keys) else "list"
    return type(value).__name__


def same_kind(left: Any, right: Any) -> bool:
    """Whether two values are of one kind; an empty list is of the kind of any other."""
    empty = [each for each in (left, right) if _is_list(each) and not each]
    if empty and _is_list(left) and _is_list(right):
        return True
    return kind_of(left) == kind_of(right)


def agree(left: Any, right: Any, tolerances: Tolerances) -> bool:
    """Whether two values of one kind are alike: places within the tolerance of positions, lists of
    places or poses by their overlap in whatever order, other numbers within theirs."""
    if not same_kind(left, right):
        return False
    match kind_of(left or right):
        case "point":
            return distance(left, right) <= tolerances.position
        case "pose":
            return _poses_agree(left, right, tolerances)
        case "points" | "poses":
            return overlap(left, right, tolerances) >= tolerances.least_overlap
        case "number":
            return bool(abs((left or 0) - (right or 0)) <= tolerances.number)
        case "mapping":
            return left.keys() == right.keys() and all(
                agree(left[key], right[key], tolerances) for key in left
            )
        case "list":
            return len(left) == len(right) and all(
                agree(one, other, tolerances) for one, other in zip(left, right, strict=True)
            )
    return bool(left == right)


def overlap(
    left: Sequence[Mapping[str, Any]], right: Sequence[Mapping[str, Any]], tolerances: Tolerances
) -> float:
    """Intersection over union of two lists of places or poses, each matched at most once."""
    if left == right:
        return 1.0
    size = max(tolerances.position, 1e-6)
    cells: defaultdict[_Cell, list[Mapping[str, Any]]] = defaultdict(list)
    for each in right:
        cells[_cell(each, size)].append(each)
    matched = sum(_taken(cells, _cell(each, size), each, tolerances) for each in left)
    union = len(left) + len(right) - matched
    return matched / union if union else 1.0


def brief(value: Any) -> Any:
    """A value short enough for a report: long lists as how many of what they hold."""
    if _is_list(value) and len(value) > 4:
        return f"{len(value)} {kind_of(value) if kind_of(value) != 'list' else 'entries'}"
    if isinstance(value, str) and len(value) > 200:
        return value[:199] + "…"
    return value


def _is_place(value: Mapping[str, Any]) -> bool:
    return any(_are_places([value], keys) for keys in (_POINT, _POSE))


def _are_places(values: Sequence[Any], keys: set[str]) -> bool:
    """Whether all are places with just these keys; there may be thousands."""
    return all(
        isinstance(each, Mapping) and each.keys() == keys and isinstance(each["x"], int | float)
        for each in values
    )


def _is_list(value: Any) -> bool:
    return isinstance(value, Sequence) and not isinstance(value, str)


def _poses_agree(left: Mapping[str, Any], right: Mapping[str, Any], tolerances: Tolerances) -> bool:
    if distance(left, right) > tolerances.position or left.keys() != right.keys():
        return False
    if "rotation" not in left:
        return True
    return (
        left["standing"] == right["standing"]
        and turn_about_axis(left["rotation"], right["rotation"]) <= tolerances.rotation
        and abs(left["horizon"] - right["horizon"]) <= tolerances.horizon
    )


def _cell(place: Mapping[str, Any], size: float) -> _Cell:
    return int(place["x"] // size), int(place["y"] // size), int(place["z"] // size)


def _taken(
    cells: Mapping[_Cell, list[Mapping[str, Any]]],
    cell: _Cell,
    place: Mapping[str, Any],
    tolerances: Tolerances,
) -> bool:
    """Takes a partner for a place out of its cell or a neighbour's; whether there was one."""
    x, y, z = cell
    for dx, dy, dz in _AROUND:
        found = cells.get((x + dx, y + dy, z + dz), ())
        for at, other in enumerate(found):
            if _poses_agree(place, other, tolerances):
                del cells[x + dx, y + dy, z + dz][at]
                return True
    return False
