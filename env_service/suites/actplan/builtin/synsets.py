"""What the household world's object types are called: in BDDL, and in sentences.

BDDL's categories are WordNet 3.0 synsets. Where BEHAVIOR's 100 activities have a category for a
thing (spec: actplan.md section 2.2) it is that one; otherwise the synset that means it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


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
