"""Caches of computed values: within a bound of bytes, or for the last few scenes."""

from collections import OrderedDict
from collections.abc import Callable, Hashable
from threading import Lock
from typing import Generic, ParamSpec, TypeVar

from env_service.worlds.household.scene.spec import SceneSpec

P = ParamSpec("P")
T = TypeVar("T")


class Kept(Generic[P, T]):
    """A function that remembers its latest results. Safe for several threads.

    Arguments have to be hashable. Results are shared, so callers must not change them. A result
    that alone exceeds the bound is returned, but not kept.
    """

    def __init__(self, make: Callable[P, T], size: Callable[[T], int], most: int) -> None:
        """`size` gives the bytes of a result; all kept results together have at most `most`."""
        self._make, self._size, self._most = make, size, most
        self._results: OrderedDict[Hashable, tuple[T, int]] = OrderedDict()
        self._held = 0
        self._lock = Lock()

    @property
    def held(self) -> int:
        """Bytes of all results that are kept."""
        return self._held

    def __len__(self) -> int:
        return len(self._results)

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> T:
        """The result for these arguments."""
        key = (args, tuple(kwargs.items()))
        with self._lock:
            known = self._results.get(key)
            if known is not None:
                self._results.move_to_end(key)
                return known[0]
        result = self._make(*args, **kwargs)
        self._keep(key, result)
        return result

    def _keep(self, key: Hashable, result: T) -> None:
        size = self._size(result)
        with self._lock:
            if size > self._most or key in self._results:
                return
            self._results[key] = (result, size)
            self._held += size
            while self._held > self._most:
                _, (_, freed) = self._results.popitem(last=False)
                self._held -= freed


def kept(size: Callable[[T], int], *, most: int) -> Callable[[Callable[P, T]], Kept[P, T]]:
    """Decorates a function, so that it remembers its latest results; see `Kept`."""
    return lambda make: Kept(make, size, most)


# --- Keeps values computed for a scene, for the last few scenes in use

KEPT = 2
"""Scenes of which things stay in memory: the one that is played, and the one before, which is often
played again. A kitchen takes 15 to 25 MiB, nearly all for its sight lines."""


class PerScene(Generic[T]):
    """One value per scene, made at the first request. Scenes count as the same only if they are the
    same object."""

    def __init__(self, make: Callable[[SceneSpec], T]) -> None:
        self._make = make
        self._kept: OrderedDict[int, tuple[SceneSpec, T]] = OrderedDict()
        self._lock = Lock()

    def __call__(self, scene: SceneSpec) -> T:
        """The value of a scene."""
        with self._lock:
            if id(scene) not in self._kept:  # a kept scene lives, so no other object has its id
                self._kept[id(scene)] = (scene, self._make(scene))
                while len(self._kept) > KEPT:
                    self._kept.popitem(last=False)
            self._kept.move_to_end(id(scene))
            return self._kept[id(scene)][1]
