"""Finding and loading scenes by name, from several sources, with the last few kept in memory; and
the standard sources.
"""

import json
import os
import re
from collections import OrderedDict
from collections.abc import Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import Protocol

from env_service.storage.plain_files import read_plain_text
from env_service.worlds.ai2thor_api.capture.sidecar import SUFFIX
from env_service.worlds.ai2thor_api.floor_plans import VARIABLE, floor_plan_folder
from env_service.worlds.household.scene.looks import CLEAR, dressed, look_named
from env_service.worlds.household.scene.looks import VARIABLE as LOOK
from env_service.worlds.household.scene.rooms.built_in_rooms import BuiltInRooms
from env_service.worlds.household.scene.spec import SceneSpec
from env_service.worlds.household.scene.thor_metadata import capture_of, scene_from_metadata

KEPT = 8
"""How many scenes a library keeps loaded."""

_SUFFIX = "_physics"


class SceneSource(Protocol):
    """A family of scenes."""

    def names(self) -> Sequence[str]:
        """The names that it lists, in a fixed order. It may load more: endless families list a
        few."""
        ...

    def load(self, name: str) -> SceneSpec | None:
        """The scene of a name; None if the name does not belong to this source.

        Raises:
            ValueError: the name belongs to this source, but the scene's data is invalid.
        """
        ...


class MetadataFolder:
    """AI2-THOR's scenes from a folder of object metadata: `FloorPlan12_physics.json` and so on,
    each a list of objects or a mapping from object id to object; and a capture's additional facts,
    if their file exists (`worlds.ai2thor_api.capture.sidecar`).

    A scene is found by its file's name with and without `_physics`.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def names(self) -> Sequence[str]:
        """The names of all files, by their numbers."""
        files = self._folder.glob("*.json")
        found = (path.stem for path in files if not path.name.endswith(SUFFIX))
        return tuple(sorted(found, key=_by_number))

    def load(self, name: str) -> SceneSpec | None:
        """See `SceneSource`; a file that is not JSON raises ValueError too."""
        if not re.fullmatch(r"\w[\w-]*", name):
            return None
        plain = name.removesuffix(_SUFFIX)
        for stem in (plain + _SUFFIX, plain):
            path = self._folder / f"{stem}.json"
            if path.is_file():
                return scene_from_metadata(stem, _read(path), capture_of(path))
        return None


def _read(path: Path) -> dict[str, dict[str, object]] | list[dict[str, object]]:
    try:
        content = json.loads(read_plain_text(path))
    except (json.JSONDecodeError, UnicodeDecodeError) as error:
        raise ValueError(f"{path.name} is not JSON: {error}; fetch the file again") from error
    if not isinstance(content, dict | list):
        raise ValueError(f"{path.name} holds neither a list nor a mapping of objects")
    return content


def _by_number(name: str) -> tuple[int, str]:
    found = re.search(r"\d+", name)
    return (int(found[0]) if found else 0, name)


class SceneLibrary:
    """All scenes of some sources; the first source with a name provides its scene."""

    def __init__(
        self, sources: Sequence[SceneSource], *, kept: int = KEPT, look: str = CLEAR
    ) -> None:
        """``look`` is that of all scenes, one of `looks.LOOKS`; another raises ValueError."""
        self._sources, self._most = tuple(sources), kept
        self._look = look_named(look)
        self._kept: OrderedDict[str, SceneSpec] = OrderedDict()

    def names(self) -> tuple[str, ...]:
        """The names that the sources list, each once, in the sources' order."""
        return tuple(dict.fromkeys(name for source in self._sources for name in source.names()))

    def load(self, name: str) -> SceneSpec:
        """The scene of a name. The last few stay loaded: asking again gives the same object.

        Raises:
            ValueError: no source has the name (the message lists the nearest ones), or the scene's
                data is invalid.
        """
        scene = self._kept.get(name)
        if scene is None:
            scene = self._fresh(name)
            self._kept[name] = scene
            while len(self._kept) > self._most:
                self._kept.popitem(last=False)
        self._kept.move_to_end(name)
        return scene

    def _fresh(self, name: str) -> SceneSpec:
        for source in self._sources:
            scene = source.load(name)
            if scene is not None:
                return dressed(scene, self._look)
        names = self.names()
        near = get_close_matches(name, names, n=3, cutoff=0.5)
        if near:
            raise ValueError(f"unknown scene {name!r}; near names: {', '.join(near)}")
        known = f"known scenes include {', '.join(names[:3])}" if names else "no source has scenes"
        raise ValueError(f"unknown scene {name!r}; {known}")


# --- The standard sources: built-in rooms, and the floor plans of a folder


def standard_library(floor_plans: Path | None = None, look: str | None = None) -> SceneLibrary:
    """A library of the floor plans in a folder, by default the one that `floor_plans.VARIABLE`
    names if it is set, and of the built-in rooms.

    ``look`` is that of all scenes, one of `looks.LOOKS`, by default the one that `looks.VARIABLE`
    names.

    Raises:
        ValueError: the folder does not exist, or there is no such look.
    """
    look = look if look is not None else os.environ.get(LOOK, "")
    named = os.environ.get(VARIABLE, "")
    folder = floor_plans or (Path(named) if named else None)
    sources: list[SceneSource] = [BuiltInRooms()]
    if folder is not None:
        if not folder.is_dir():
            raise ValueError(f"no folder of floor plans at {folder}")
        sources.insert(0, MetadataFolder(folder))
    return SceneLibrary(sources, look=look)


def household_scenes(look: str | None = None) -> SceneLibrary:
    """The floor plans that the data pack holds here, and the built-in rooms; see
    `standard_library`.

    Raises DataPackCorruptError where a file is damaged.
    """
    return standard_library(floor_plan_folder(), look)
