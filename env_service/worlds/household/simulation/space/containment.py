"""Containment: which receptacle holds which objects, in both directions, kept in step.

AI2-THOR lists every receptacle whose trigger volume holds an object, and lists the object in each
of them. Its dumps (120 scenes, 3,472 pairs) show both directions mutual without exception; an
object in a dish lists the dish and the dish's support (a tomato on a plate on a counter: both; all
three cases), and a mug in a coffee machine lists the machine and its counter (all four cases),
while an object on or in furniture lists the furniture, and the floor under that only where it is
lower than the floor's trigger box reaches (71 of 75 such objects, and 15 of 829 others, at 0.4 m).
So a placed object gets the receptacle as its parent, and also the receptacle's parents if the
receptacle is a dish or a small appliance. Parents are in the order in which the scene lists its
objects, as in the dumps. Objects that never moved keep the relations of the dump.
"""

from collections.abc import Iterable, Iterator
from dataclasses import replace

from env_service.worlds.ai2thor_api.object_types import Trait
from env_service.worlds.household.geometry import Transform
from env_service.worlds.household.state import HouseholdState, ObjectState

STANDING_RECEPTACLES = frozenset({"CoffeeMachine", "Microwave", "Toaster"})
"""Appliances in whose place on a counter their contents share."""


def holders(state: HouseholdState, receptacle: ObjectState, item: ObjectState) -> tuple[str, ...]:
    """The parents of an item that is put into a receptacle: it, what its contents share with it,
    and the floor, if the receptacle stands on it and the item is low enough."""
    shares = receptacle.spec.can(Trait.PICKUPABLE)
    shares = shares or receptacle.spec.type in STANDING_RECEPTACLES
    above = receptacle.parents or ()
    floor, height = state.scene.floor_reach or ("", 0.0)
    low = item.extent[0].y < height
    inherited = [key for key in above if (low if key == floor else shares)]
    return _ordered(state, (receptacle.id, *inherited))


def carried_with(state: HouseholdState, item: ObjectState) -> Iterator[ObjectState]:
    """What moves along when an object is moved: the things in it, and in those, once each.

    Only what can be picked up is carried: dumps list a whole counter as contents of a pot that
    touches it.
    """
    seen = {item.id}
    queue = list(item.contents or ())
    while queue:
        content = state.objects.get(queue.pop(0))
        if content is None or content.id in seen or not content.spec.can(Trait.PICKUPABLE):
            continue
        if content.held or content.replaced:
            continue
        seen.add(content.id)
        yield content
        queue.extend(content.contents or ())


def innermost(state: HouseholdState, item: ObjectState) -> ObjectState | None:
    """The receptacle that holds an object directly: of its parents, the one that is itself in the
    most of the others, and of several the one that can be carried, or is smaller."""
    parents = [state.objects[key] for key in item.parents or () if key in state.objects]
    among = {parent.id for parent in parents}

    def depth(parent: ObjectState) -> tuple[int, bool, float]:
        # A dump may list a counter in the basin that is let into it.
        inside = len(among.intersection(parent.parents or ()))
        return inside, parent.spec.can(Trait.PICKUPABLE), -parent.spec.body.size.length()

    return max(parents, key=depth, default=None)


def taken_out(state: HouseholdState, object_id: str) -> HouseholdState:
    """The object and what it carries leave every receptacle that does not move with them."""
    item = state.objects[object_id]
    leaving = [item, *carried_with(state, item)]
    moving = frozenset(each.id for each in leaving)
    left = dict.fromkeys(key for each in leaving for key in each.parents or () if key not in moving)
    if not left:
        return state
    changed = [_with_parents(each, _without(each.parents, frozenset(left))) for each in leaving]
    changed += [
        replace(holder, contents=_without(holder.contents, moving))
        for holder in (state.objects.get(key) for key in left)
        if holder is not None
    ]
    return state.having(*changed)


def put_in(state: HouseholdState, object_id: str, receptacle_id: str | None) -> HouseholdState:
    """The object and what it carries enter a receptacle and what shares in it; None for none.

    The object was taken out of all others before.
    """
    if receptacle_id is None:
        return state
    item = state.objects[object_id]
    parents = holders(state, state.objects[receptacle_id], item)
    entering = [item, *carried_with(state, item)]
    for each in entering:
        mine = tuple(key for key in parents if key != each.id)
        both = _ordered(state, (*(each.parents or ()), *mine))
        state = state.having(_with_parents(each, both))
    for key in parents:
        holder = state.objects[key]
        new = tuple(each.id for each in entering if each.id != key)
        contents = tuple(dict.fromkeys((*(holder.contents or ()), *new)))
        state = state.having(replace(holder, contents=contents))
    return state


def removed(state: HouseholdState, *object_ids: str) -> HouseholdState:
    """Objects leave the scene, and every list that names them."""
    gone = frozenset(object_ids)
    related: dict[str, None] = {}
    for key in object_ids:
        item = state.objects[key]
        related.update(dict.fromkeys((*(item.parents or ()), *(item.contents or ()))))
    changed = []
    for key in related:
        other = state.objects.get(key)
        if other is None or key in gone:
            continue
        contents = other.contents
        if contents is not None:
            contents = _without(contents, gone) or ()
        changed.append(
            replace(other, parents=_without(other.parents, gone) or None, contents=contents)
        )
    return state.having(*changed).without(*object_ids)


def closed_holder(state: HouseholdState, item: ObjectState) -> ObjectState | None:
    """A closed receptacle around an object, None if there is none."""
    for key in item.parents or ():
        holder = state.objects.get(key)
        if holder is None or not holder.spec.can(Trait.OPENABLE) or holder.is_open:
            continue
        if holder.spec.type in ENCLOSING and _around(holder, item):
            return holder
    return None


def _around(holder: ObjectState, item: ObjectState) -> bool:
    """Whether an object that a receptacle lists is inside it: dumps also list furniture that
    touches it."""
    return item.spec.can(Trait.PICKUPABLE) or holder.body.contains(item.body.center)


ENCLOSING = frozenset({"Box", "Cabinet", "Drawer", "Fridge", "LaundryHamper", "Microwave", "Safe"})
"""Receptacles that hide what is in them while they are closed."""


def _with_parents(item: ObjectState, parents: tuple[str, ...] | None) -> ObjectState:
    return replace(item, parents=parents or None)


def _without(keys: tuple[str, ...] | None, gone: frozenset[str]) -> tuple[str, ...] | None:
    if keys is None:
        return None
    return tuple(key for key in keys if key not in gone)


def _ordered(state: HouseholdState, keys: Iterable[str]) -> tuple[str, ...]:
    wanted = dict.fromkeys(keys)
    if len(wanted) < 2:
        return tuple(wanted)
    return tuple(key for key in state.objects if key in wanted)


def moved(state: HouseholdState, object_id: str, pose: Transform) -> HouseholdState:
    """The object at a new pose; what it carries moves rigidly with it. The containment does not
    change."""
    item = state.objects[object_id]
    if item.pose == pose:
        return state
    motion = pose @ item.pose.inverse()
    along = [posed(each, motion @ each.pose) for each in carried_with(state, item)]
    return state.having(posed(item, pose), *along)


def posed(item: ObjectState, pose: Transform) -> ObjectState:
    """The object alone at a new pose."""
    pose = Transform(pose.rotation.straightened(), pose.position)
    return replace(item, pose=pose, euler=pose.rotation.to_euler())
