"""What things of a category are good for. The table is `categories.toml`, whose head names its
source."""

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from functools import cache
from importlib.resources import files


class Trait(Enum):
    """What a thing is good for; the value is the table's word."""

    FLOOR = "floor"
    SURFACE = "surface"
    """Things can stand on it."""
    CONTAINER = "container"
    """Things can be in it."""
    MOVABLE = "movable"
    """A person can carry it."""
    LID = "lid"
    """A container that is shut unless somebody opened it, and hides what is in it."""
    FLAP = "flap"
    """Can be opened and closed, but is reached into all the same until somebody closes it."""
    OPENABLE = "openable"
    """Can be opened and closed, and holds nothing: a door, a window."""
    SWITCH = "switch"
    BASIN = "basin"
    """Switched on, it runs water over what is in it."""
    FAUCET = "faucet"
    """Switched on, it runs water into its basin, or into those of its room."""
    HEAT = "heat"
    """Switched on, it cooks what is in or on it."""
    COLD = "cold"
    WASHER = "washer"
    """Switched on, it cleans what is in it."""
    DRYER = "dryer"
    KNIFE = "knife"
    TOOL = "tool"
    """Things are cleaned with it."""
    SOAP = "soap"
    """Helps against stains, as water does."""
    WATER = "water"
    LIQUID = "liquid"
    FOOD = "food"
    ABSORBENT = "absorbent"
    """Becomes wet as a whole: cloth, clothing, earth."""
    VESSEL = "vessel"
    """Holds liquids."""


Traits = frozenset[Trait]

_CATEGORY = re.compile(r"(?P<lemma>.+?)[._][nvars]\.\d+")


def lemma_of(category: str) -> str:
    """ "electric_refrigerator.n.01" is "electric_refrigerator"; other forms come back as they are,
    and a mistyped "plaything_n.01" too is a plaything."""
    match = _CATEGORY.fullmatch(category)
    return match["lemma"] if match else category


@cache
def traits_of(category: str) -> Traits:
    """What things of a category are good for. A category that is not in the table is taken for what
    its head noun is, or else its other words from the last to the first, or else for a movable
    thing that others can be put in or on."""
    table = _table()
    words = lemma_of(category).split("_")
    tails = ["_".join(words[start:]) for start in range(len(words))]
    for word in (*tails, *reversed(words)):
        for form in (word, word.removesuffix("s"), word.removesuffix("es")):
            if form in table.words:
                return table.words[form]
    return table.unknown


def is_known(category: str) -> bool:
    """Whether the table has the category's lemma itself."""
    return lemma_of(category) in _table().words


@dataclass(frozen=True, slots=True)
class _Table:
    words: Mapping[str, Traits]
    unknown: Traits


@cache
def _table() -> _Table:
    text = files(__package__).joinpath("categories.toml").read_text(encoding="utf-8")
    data = tomllib.loads(text)
    words: dict[str, Traits] = {}
    for name, kind in data["kind"].items():
        traits = frozenset(map(Trait, kind["traits"]))
        for word in kind["words"]:
            if word in words:
                raise ValueError(f'categories.toml: "{word}" is in {name} and in another kind')
            words[word] = traits
    return _Table(words, frozenset(map(Trait, data["unknown"])))
