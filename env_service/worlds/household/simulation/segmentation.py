"""Instance and class pictures, their colours, masks and boxes, by AI2-THOR's conventions.

As in AI2-THOR 5.0.0: in an instance picture every object has a separate colour and all structure
the colour of its kind ("Wall"); in a class picture everything has the colour of its type. The
colour table names objects by id and types by name. Masks and boxes are computed on request.
"""

import hashlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from env_service.worlds.household.render.interface import NOTHING

Rgb = tuple[int, int, int]
BoxInPicture = tuple[int, int, int, int]
"""Left, top, right, bottom in pixels, all inclusive."""

BACKGROUND = "background"
"""The class of empty pixels."""

BLACK: Rgb = (0, 0, 0)
"""The colour of empty pixels."""

Mask = NDArray[np.bool_]


def colors_of(names: Iterable[str]) -> dict[str, Rgb]:
    """A colour for every name: by the name alone, but never twice and never black. Where two
    names would share one, the later gets another."""
    found: dict[str, Rgb] = {}
    taken = {BLACK}
    for name in names:
        if name in found:
            continue
        attempt = 0
        while (color := _color(name, attempt)) in taken:
            attempt += 1
        taken.add(color)
        found[name] = color
    return found


def _color(name: str, attempt: int) -> Rgb:
    digest = hashlib.blake2b(f"{attempt}:{name}".encode(), digest_size=3).digest()
    return (digest[0], digest[1], digest[2])


@dataclass(frozen=True)
class Legend:
    """What the instance numbers of a scene's pictures stand for.

    Attributes:
        names: instance number -> object id, or the kind of a structural part.
        types: the same number -> object type, or the kind.
    """

    names: Mapping[int, str]
    types: Mapping[int, str]

    @cached_property
    def by_object(self) -> Mapping[str, tuple[int, ...]]:
        """Object id -> its instance numbers, one."""
        return {name: (number,) for number, name in self.names.items() if "|" in name}

    @cached_property
    def by_class(self) -> Mapping[str, tuple[int, ...]]:
        """Class -> the instance numbers of its members. The Python package takes a name up to its
        first bar as the class, so a SinkBasin is a Sink."""
        found: dict[str, list[int]] = {}
        for number, name in self.names.items():
            found.setdefault(name.split("|")[0], []).append(number)
        return {name: tuple(each) for name, each in found.items()} | {BACKGROUND: (NOTHING,)}

    @cached_property
    def colors(self) -> Mapping[str, Rgb]:
        """Colours of object ids, then of types and kinds."""
        return colors_of([*self.names.values(), *sorted(set(self.types.values()))])

    @cached_property
    def table(self) -> list[dict[str, Any]]:
        """AI2-THOR's metadata["colors"]."""
        return [{"color": list(color), "name": name} for name, color in self.colors.items()]

    def painted(self, instances: NDArray[np.int32], names: Mapping[int, str]) -> NDArray[np.uint8]:
        """uint8 [H, W, 3]: a picture of instance numbers in the colours of `names`; read-only."""
        paint = np.zeros((max([*names, 0]) + 2, 3), np.uint8)  # the last row is for NOTHING
        for number, name in names.items():
            paint[number] = self.colors[name]
        picture = paint[instances]
        picture.setflags(write=False)
        return picture


class Masks(Mapping[str, Mask]):
    """Name -> bool [H, W], only for names in the picture; read-only arrays. Other names raise
    KeyError."""

    def __init__(self, instances: NDArray[np.int32], numbers: Mapping[str, tuple[int, ...]]):
        """`numbers`: the instance numbers of each name, in the order of iteration."""
        self._instances = instances
        present = np.bincount(instances.ravel() + 1) > 0
        shown = frozenset(int(number) - 1 for number in np.flatnonzero(present))
        self._numbers = {
            name: here
            for name, every in numbers.items()
            if (here := tuple(number for number in every if number in shown))
        }
        self._masks: dict[str, Mask] = {}

    def __getitem__(self, name: str) -> Mask:
        if name not in self._masks:
            numbers = self._numbers[name]
            mask = self._instances == numbers[0]
            for number in numbers[1:]:
                mask = mask | (self._instances == number)
            mask.setflags(write=False)
            self._masks[name] = mask
        return self._masks[name]

    def __contains__(self, name: object) -> bool:
        return name in self._numbers

    def __iter__(self) -> Iterator[str]:
        return iter(self._numbers)

    def __len__(self) -> int:
        return len(self._numbers)

    def parts(self, name: str) -> tuple[Mask, ...]:
        """A mask of each instance number of a name that is in the picture."""
        return tuple(self._instances == number for number in self._numbers[name])


class InstanceBoxes(Mapping[str, BoxInPicture]):
    """Object id -> its box in the picture."""

    def __init__(self, masks: Masks) -> None:
        self._masks = masks
        self._boxes: dict[str, BoxInPicture] = {}

    def __getitem__(self, name: str) -> BoxInPicture:
        if name not in self._boxes:
            self._boxes[name] = box_of(self._masks[name])
        return self._boxes[name]

    def __contains__(self, name: object) -> bool:
        return name in self._masks

    def __iter__(self) -> Iterator[str]:
        return iter(self._masks)

    def __len__(self) -> int:
        return len(self._masks)


class ClassBoxes(Mapping[str, tuple[BoxInPicture, ...]]):
    """Class -> a box for each of its instances in the picture."""

    def __init__(self, masks: Masks) -> None:
        self._masks = masks
        self._boxes: dict[str, tuple[BoxInPicture, ...]] = {}

    def __getitem__(self, name: str) -> tuple[BoxInPicture, ...]:
        if name not in self._boxes:
            self._boxes[name] = tuple(map(box_of, self._masks.parts(name)))
        return self._boxes[name]

    def __iter__(self) -> Iterator[str]:
        return (name for name in self._masks if name != BACKGROUND)

    def __len__(self) -> int:
        return len(tuple(iter(self)))


def box_of(mask: Mask) -> BoxInPicture:
    """The smallest box around the set pixels; a mask without any raises IndexError."""
    rows, columns = np.flatnonzero(mask.any(1)), np.flatnonzero(mask.any(0))
    return (int(columns[0]), int(rows[0]), int(columns[-1]), int(rows[-1]))
