"""Which states of an object type can be seen, and how each is named on a sheet."""

from __future__ import annotations

from dataclasses import dataclass

from env_service.worlds.ai2thor_api.object_types import Trait, object_types
from env_service.worlds.household.assets.model import Liquid, Look

COFFEE = frozenset({"Mug", "Cup"})
"""Types shown with coffee."""
WINE = frozenset({"WineBottle", "Cup"})
"""Types shown with wine."""
COOKED = frozenset({"EggCracked", "BreadSliced", "Potato", "PotatoSliced"})
"""Types that heat cooks (AI2-THOR's documentation, object types, contextual interactions)."""
LIT = frozenset({"StoveBurner"})
"""Types that another object switches."""
USED_UP = frozenset({"PaperTowelRoll", "SoapBottle", "TissueBox", "ToiletPaper"})
"""Types that can start used up, though no instance of the floor plans can be used up later."""


@dataclass(frozen=True)
class ShownState:
    """A state to draw: its name on the sheet, the look, and how far open (None: the type's state at
    rest)."""

    label: str
    look: Look = Look()
    openness: float | None = None


def states_of(type_name: str) -> tuple[ShownState, ...]:
    """The states of a type that can be seen, the plain one first.

    Raises:
        KeyError: AI2-THOR has no such type.
    """
    kind = object_types()[type_name]
    can = kind.traits | kind.sometimes
    shown = [ShownState("as it is")]
    if Trait.DIRTYABLE in can:
        shown.append(ShownState("dirty", Look(dirty=True)))
    if Trait.FILLABLE in can:
        shown.append(ShownState("water", Look(liquid=Liquid.WATER)))
    if type_name in COFFEE:
        shown.append(ShownState("coffee", Look(liquid=Liquid.COFFEE, hot=True)))
    if type_name in WINE:
        shown.append(ShownState("wine", Look(liquid=Liquid.WINE)))
    if Trait.COOKABLE in can or type_name in COOKED:
        shown.append(ShownState("cooked", Look(cooked=True)))
    if Trait.SLICEABLE in can:
        shown.append(ShownState("sliced", Look(sliced=True)))
    if Trait.BREAKABLE in can:
        shown.append(ShownState("broken", Look(broken=True)))
    if Trait.USABLE in can or type_name in USED_UP:
        shown.append(ShownState("used up", Look(used_up=True)))
    if Trait.TOGGLEABLE in can or type_name in LIT:
        shown.append(ShownState("on", Look(on=True)))
    if Trait.OPENABLE in can:
        shown += [
            ShownState("closed", openness=0.0),
            ShownState("half open", openness=0.5),
            ShownState("open", openness=1.0),
        ]
    return tuple(shown)
