"""Event metadata whose costly part waits until somebody reads it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any


class Metadata(dict[str, Any]):
    """A dictionary whose "objects" are worked out when they, or all of it, are read."""

    def __init__(
        self, values: Mapping[str, Any], objects: Callable[[], list[dict[str, Any]]]
    ) -> None:
        super().__init__(values)
        self._objects = objects

    def __missing__(self, key: str) -> Any:
        if key == "objects":
            return self.setdefault("objects", self._objects())
        raise KeyError(key)

    def __contains__(self, key: object) -> bool:
        return key == "objects" or super().__contains__(key)

    def __iter__(self) -> Iterator[str]:
        return iter(self._whole())

    def __len__(self) -> int:
        return len(self._whole())

    def __eq__(self, other: object) -> bool:
        return self._whole() == (other._whole() if isinstance(other, Metadata) else other)

    def __ne__(self, other: object) -> bool:
        return not self == other

    __hash__ = dict.__hash__

    def __repr__(self) -> str:
        return repr(self._whole())

    def __reduce__(self) -> tuple[type[dict[str, Any]], tuple[dict[str, Any]]]:
        return dict, (self._whole(),)

    def get(self, key: str, default: Any = None) -> Any:
        """The value of a key."""
        try:
            return self[key]
        except KeyError:
            return default

    def keys(self) -> Any:
        """All keys."""
        return self._whole().keys()

    def values(self) -> Any:
        """All values."""
        return self._whole().values()

    def items(self) -> Any:
        """All pairs."""
        return self._whole().items()

    def copy(self) -> dict[str, Any]:
        """A plain dictionary of it all."""
        return self._whole()

    def _whole(self) -> dict[str, Any]:
        objects = self["objects"]
        rest = {key: dict.__getitem__(self, key) for key in dict.__iter__(self)}
        return {"objects": objects, **rest}
