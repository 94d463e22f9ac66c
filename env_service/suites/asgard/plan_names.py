"""What a plan's name says (spec section 1.4)."""

from __future__ import annotations

import re
from dataclasses import dataclass

from env_service.suites.asgard.plan import Family

_NAME = re.compile(
    r"(?P<head>[a-z_]+?)__(?:(?P<middle>.+)_)?(?P<scene>[A-Za-z][A-Za-z0-9-]*)_V\d+(?:-(?P<types>.+))?"
)

_FAMILIES = {
    ("coffee", ""): Family.COFFEE,
    ("cook", "Potato"): Family.MICROWAVE_POTATO,
    ("cook", "Egg"): Family.COOK_EGG,
    ("cook", "Bread"): Family.MAKE_TOAST,
    ("cook", "PotatoSliced"): Family.FRY_POTATO_SLICE,
    ("putaway", "Food"): Family.PUT_AWAY_FOOD,
    ("putaway", "Dishes"): Family.PUT_AWAY_DISHES,
    ("putaway", "Silverware"): Family.PUT_AWAY_SILVERWARE,
    ("distribute", "Apple"): Family.SLICE_AND_DISTRIBUTE,
    ("distribute", "Lettuce"): Family.SLICE_AND_DISTRIBUTE,
    ("distribute", "Tomato"): Family.SLICE_AND_DISTRIBUTE,
    ("settable", ""): Family.SET_TABLE,
    ("clean_mirror", ""): Family.CLEAN_MIRROR,
    ("turn_on_tv", ""): Family.TURN_ON_TV,
}
"""By what stands before "__" and, where a family has a subject, the first word after it."""

_WITHOUT_SUBJECT = frozenset(head for head, subject in _FAMILIES if not subject)


@dataclass(frozen=True, slots=True)
class PlanName:
    """``conditions`` in the name's words; ``scene`` as it stands in the name."""

    family: Family
    conditions: tuple[str, ...]
    scene: str


def read_name(name: str) -> PlanName:
    """Raises ValueError for a name outside the grammar."""
    match = _NAME.fullmatch(name)
    if match is None:
        raise ValueError(
            "is not of the form FAMILY__CONDITIONS_SCENE_V1,"
            " such as cook__Egg_Pan(d)_FloorPlan13_V1"
        )
    head, middle = match["head"], match["middle"] or ""
    if head in _WITHOUT_SUBJECT:
        subject, conditions = "", (middle,) if middle else ()
    else:
        subject, *rest = middle.split("_")
        conditions = tuple(rest)
    if (head, subject) not in _FAMILIES:
        known = ", ".join("__".join(filter(None, key)) for key in _FAMILIES)
        asked = "__".join(filter(None, (head, subject)))
        raise ValueError(f"names the unknown family {asked!r}; known: {known}")
    return PlanName(_FAMILIES[head, subject], conditions, match["scene"])
