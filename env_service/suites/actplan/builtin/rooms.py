"""What is in a built-in room, as activities see it, and what its things are called in BDDL and
in sentences.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

from env_service.worlds.ai2thor_api.built_in_rooms import BuiltInRoom, RoomObject, built_in_room
from env_service.worlds.ai2thor_api.object_types import Trait

KEPT = 512
"""Rooms of which the inventory is kept."""

SCENES_KEPT = 32

ONE = {
    "StoveBurner": "StoveBurner", "Sink": "Sink", "SinkBasin": "Sink", "Bathtub": "Bathtub",
    "BathtubBasin": "Bathtub",
}  # fmt: skip
"""Types that people see as one thing, mapped to the type that represents it: the burners are the
stove, a sink is its basin."""

SHUT = frozenset({"Cabinet", "Drawer", "Fridge", "Microwave", "LaundryHamper"})
"""Types whose contents cannot be seen or taken while they are closed."""

STACK = 0.25
"""Metres between the middles of two boards, seen from above, below which they are one shelf."""


@dataclass(frozen=True, slots=True)
class Thing:
    """One thing of a room, which may be several objects of the simulator.

    Attributes:
        kind: the object type.
        ids: the simulator's object ids; the first one is the thing's identity.
        holder: the identity of the receptacle that it is in or on; empty: it is built in.
        closed: whether it is a container that is closed.
        movable: whether it can be picked up.
        height: metres above the floor, of its middle.
    """

    kind: str
    ids: tuple[str, ...]
    holder: str
    closed: bool
    movable: bool
    height: float

    @property
    def id(self) -> str:
        """Its identity within its room."""
        return self.ids[0]

    @property
    def named(self) -> Named:
        """What it is called."""
        return NAMED[self.kind]

    @property
    def category(self) -> str:
        """Of BDDL."""
        return self.named.category


@dataclass(frozen=True)
class Room:
    """A built-in room.

    Attributes:
        scene: its name in the household world.
        kind: as BDDL's `inroom` has it: "living_room".
        things: all that have a name (`synsets.NAMED`), in the simulator's order.
    """

    scene: str
    kind: str
    things: tuple[Thing, ...]

    @cached_property
    def by_id(self) -> dict[str, Thing]:
        """Things by identity."""
        return {each.id: each for each in self.things}

    @property
    def word(self) -> str:
        """What people call it."""
        return self.kind.replace("_", " ")

    @property
    def floor(self) -> Thing:
        """Its floor."""
        return next(each for each in self.things if each.kind == "Floor")

    def of(self, *kinds: str) -> tuple[Thing, ...]:
        """The things of some types, type by type."""
        return tuple(each for kind in kinds for each in self.things if each.kind == kind)

    def holder(self, thing: Thing) -> Thing | None:
        """What a thing is in or on; None for what is built in."""
        return self.by_id.get(thing.holder)

    def in_or_on(self, holder: Thing) -> tuple[Thing, ...]:
        """What a receptacle holds."""
        return tuple(each for each in self.things if each.holder == holder.id)

    def hidden(self, thing: Thing) -> bool:
        """Whether it is in something that is closed."""
        holder = self.holder(thing)
        return holder is not None and (holder.closed or self.hidden(holder))


@lru_cache(maxsize=KEPT)
def room_of(scene: str) -> Room | None:
    """What is in a built-in room; None where the room cannot be drawn up, or is none."""
    try:
        found = scene_of(scene)
    except ValueError:
        return None
    return Room(scene, found.kind.replace("-", "_"), tuple(_things(found)))


@lru_cache(maxsize=SCENES_KEPT)
def scene_of(scene: str) -> BuiltInRoom:
    """A built-in room as the household world has it.

    Raises ValueError where the room cannot be drawn up, or is none.
    """
    found = built_in_room(scene)
    if found is None:
        raise ValueError(f"{scene!r} is not a built-in room")
    return found


def _things(scene: BuiltInRoom) -> Iterator[Thing]:
    groups = _groups(scene)
    owner = {spec.object_id: group[0].object_id for group in groups for spec in group}
    for group in groups:
        first = group[0]
        yield Thing(
            kind=ONE.get(first.type, first.type),
            ids=tuple(spec.object_id for spec in group),
            holder=_holder(scene, first, owner),
            closed=first.type in SHUT and not first.is_open,
            movable=Trait.PICKUPABLE in first.traits,
            height=first.bounds.center.y,
        )


def _groups(scene: BuiltInRoom) -> list[list[RoomObject]]:
    """Objects that are one thing together, in the scene's order."""
    groups: list[list[RoomObject]] = []
    for spec in scene.objects:
        if ONE.get(spec.type, spec.type) not in NAMED:
            continue
        room_kind = next((group for group in groups if _same(group[0], spec)), None)
        if room_kind is None:
            groups.append([spec])
        else:
            room_kind.append(spec)
    return groups


def _same(one: RoomObject, other: RoomObject) -> bool:
    kind = ONE.get(one.type)
    if kind != ONE.get(other.type) or (kind is None and one.type != other.type):
        return False
    if kind == "StoveBurner":
        return True
    return (kind is not None or one.type == "Shelf") and _apart(one, other) < STACK


def _apart(one: RoomObject, other: RoomObject) -> float:
    """Metres between two objects, seen from above."""
    a, b = one.bounds.center, other.bounds.center
    return max(abs(a.x - b.x), abs(a.z - b.z))


def _holder(scene: BuiltInRoom, spec: RoomObject, owner: dict[str, str]) -> str:
    """The smallest of its receptacles that has a name: a spoon in a bowl is in the bowl."""
    parents: Sequence[RoomObject] = [scene.by_id[each] for each in spec.parents]
    known = [each for each in parents if each.object_id in owner]
    if not known or not spec.traits & {Trait.PICKUPABLE, Trait.MOVEABLE}:
        return ""
    smallest = min(known, key=lambda each: each.bounds.size.x * each.bounds.size.z)
    return owner[smallest.object_id]


# --- What the household world's object types are called: in BDDL, and in sentences


@dataclass(frozen=True, slots=True)
class Named:
    """``category``: of BDDL. ``word`` and ``plural``: what people say."""

    category: str
    word: str
    plural: str


def _table(text: str) -> Mapping[str, Named]:
    """One type a line: type, category, word, and the plural where it is not the word with an s."""
    found = {}
    for line in filter(None, map(str.strip, text.splitlines())):
        kind, category, word, *plural = (part.strip() for part in line.split("|"))
        found[kind] = Named(category, word, plural[0] if plural else f"{word}s")
    return found


NAMED: Mapping[str, Named] = _table(
    """
    AlarmClock | alarm.n.02 | alarm clock
    Apple | apple.n.01 | apple
    ArmChair | armchair.n.01 | armchair
    BaseballBat | baseball_bat.n.01 | baseball bat
    BasketBall | basketball.n.02 | basketball
    Bathtub | bathtub.n.01 | bathtub
    Bed | bed.n.01 | bed
    Book | book.n.02 | book
    Boots | boot.n.01 | pair of boots | pairs of boots
    Bottle | bottle.n.01 | bottle
    Bowl | bowl.n.01 | bowl
    Box | carton.n.02 | cardboard box | cardboard boxes
    Bread | bread.n.01 | loaf of bread | loaves of bread
    ButterKnife | table_knife.n.01 | table knife | table knives
    CD | compact_disk.n.01 | CD
    Cabinet | cabinet.n.01 | cabinet
    Candle | candle.n.01 | candle
    CellPhone | cellular_telephone.n.01 | phone
    Chair | chair.n.01 | chair
    Cloth | rag.n.01 | rag
    CoffeeMachine | coffee_maker.n.01 | coffee maker
    CoffeeTable | table.n.02 | coffee table
    CounterTop | countertop.n.01 | countertop
    CreditCard | credit_card.n.01 | credit card
    Cup | cup.n.01 | cup
    Desk | desk.n.01 | desk
    DeskLamp | lamp.n.02 | lamp
    DiningTable | table.n.02 | dining table
    DishSponge | sponge.n.01 | sponge
    Drawer | drawer.n.01 | drawer
    Dresser | chest_of_drawers.n.01 | chest of drawers | chests of drawers
    Dumbbell | dumbbell.n.01 | dumbbell
    Egg | egg.n.02 | egg
    Floor | floor.n.01 | floor
    FloorLamp | lamp.n.02 | lamp
    Fork | tablefork.n.01 | fork
    Fridge | electric_refrigerator.n.01 | refrigerator
    GarbageCan | ashcan.n.01 | trash can
    HandTowel | hand_towel.n.01 | hand towel
    HandTowelHolder | towel_rack.n.01 | towel rack
    HousePlant | pot_plant.n.01 | potted plant
    Kettle | kettle.n.01 | kettle
    KeyChain | key.n.01 | bunch of keys | bunches of keys
    Knife | knife.n.01 | kitchen knife | kitchen knives
    Ladle | soup_ladle.n.01 | ladle
    Laptop | laptop.n.01 | laptop
    LaundryHamper | hamper.n.02 | laundry hamper
    Lettuce | lettuce.n.03 | head of lettuce | heads of lettuce
    Microwave | microwave.n.02 | microwave
    Mirror | mirror.n.01 | mirror
    Mug | mug.n.04 | mug
    Newspaper | newspaper.n.03 | newspaper
    Ottoman | ottoman.n.03 | ottoman
    Pan | pan.n.01 | pan
    PaperTowelRoll | paper_towel.n.01 | roll of paper towels | rolls of paper towels
    Pen | pen.n.01 | pen
    Pencil | pencil.n.01 | pencil
    PepperShaker | pepper_shaker.n.01 | pepper shaker
    Pillow | pillow.n.01 | pillow
    Plate | plate.n.04 | plate
    Pot | saucepan.n.01 | pot
    Potato | potato.n.01 | potato | potatoes
    RemoteControl | remote_control.n.01 | remote control
    SaltShaker | saltshaker.n.01 | salt shaker
    ScrubBrush | scrub_brush.n.01 | scrub brush | scrub brushes
    Shelf | shelf.n.01 | shelf | shelves
    SideTable | table.n.02 | side table
    Sink | sink.n.01 | sink
    SoapBar | soap.n.01 | bar of soap | bars of soap
    SoapBottle | detergent.n.02 | bottle of detergent | bottles of detergent
    Sofa | sofa.n.01 | sofa
    Spatula | spatula.n.01 | spatula
    Spoon | spoon.n.01 | spoon
    SprayBottle | cleansing_agent.n.01 | spray bottle of cleaner | spray bottles of cleaner
    Statue | statue.n.01 | statue
    Stool | stool.n.01 | stool
    StoveBurner | stove.n.01 | stove
    TVStand | television_stand.n.01 | TV stand
    TeddyBear | teddy.n.01 | teddy bear
    Television | television_receiver.n.01 | television
    TennisRacket | tennis_racket.n.01 | tennis racket
    TissueBox | tissue.n.02 | box of tissues | boxes of tissues
    Toaster | toaster.n.02 | toaster
    Toilet | toilet.n.02 | toilet
    ToiletPaper | toilet_tissue.n.01 | roll of toilet paper | rolls of toilet paper
    Tomato | tomato.n.01 | tomato | tomatoes
    Towel | towel.n.01 | towel
    TowelHolder | towel_rack.n.01 | towel rack
    Vase | vase.n.01 | vase
    Watch | watch.n.01 | watch | watches
    WateringCan | watering_can.n.01 | watering can
    Window | window.n.01 | window
    WineBottle | wine_bottle.n.01 | wine bottle
    """
)
"""By object type. Types that are not here take no part in built-in activities."""
