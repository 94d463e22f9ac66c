"""How AI2-THOR is run on a machine: the operator's choice, read from environment variables,
which no suite sees.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from enum import StrEnum
from pathlib import Path
from typing import TypeVar

from env_service.worlds.base import WORKER_CPUS, WORKER_GPU

COMMIT_ID = "f0825767cd50d69f666c7f282e54abfe58f1e917"
"""The Unity build of ai2thor 5.0.0, the one that AsgardBench uses (docs/ai2thor.md,
"Platforms")."""

PACKAGE_VERSION = "5.0.0"
"""The one version of the package `ai2thor` that is driven."""

PREFIX = "HOUSEGUEST_THOR_"


class Platform(StrEnum):
    """What the player runs on."""

    AUTO = "auto"
    """Whatever a look at the machine finds to work: CloudRendering before Linux64."""
    CLOUD_RENDERING = "CloudRendering"
    """Vulkan, no X server."""
    LINUX64 = "Linux64"
    """OpenGL on an X server: an existing one, or an Xvfb that the service starts."""
    EXECUTABLE = "executable"
    """Another player, by its command line: a build of one's own, or the stand-in player."""


@dataclass(frozen=True, slots=True)
class Deadlines:
    """Seconds that the player may take, each greater than 0. Beyond, it is killed."""

    start: float = 300.0
    """From its start to its first message."""
    reset: float = 120.0
    """Loading and initialising a scene, all messages of it together."""
    step: float = 60.0
    stop: float = 10.0

    def __post_init__(self) -> None:
        for each in fields(self):
            if not getattr(self, each.name) > 0:
                raise ValueError(f"deadline {each.name!r} is {getattr(self, each.name)}; needs > 0")


@dataclass(frozen=True, slots=True)
class Lifetime:
    """When a player that works is replaced by a fresh one all the same; each at least 1."""

    episodes: int = 50
    seconds: float = 4 * 3600.0
    memory_bytes: int = 6 * 2**30
    """Resident memory of the player's processes together."""


@dataclass(frozen=True, slots=True)
class ThorSettings:
    """How the player is run.

    ``executable`` is the player's command line by a shell's rules, for EXECUTABLE alone. ``home``
    is the home folder below which its builds, logs and locks lie; None: the user's. ``gpu`` is
    nvidia-smi's index, None lets the player choose. ``display`` is an X display, as ":0.0", for
    LINUX64; "" takes a suitable one or starts an Xvfb. ``cpus`` pins the player, empty: nowhere.
    """

    platform: Platform = Platform.AUTO
    executable: str = ""
    home: Path | None = None
    gpu: int | None = None
    display: str = ""
    cpus: tuple[int, ...] = ()
    deadlines: Deadlines = field(default_factory=Deadlines)
    lifetime: Lifetime = field(default_factory=Lifetime)
    warm: int = 1
    """Players that one process keeps between episodes, at least 0."""

    @staticmethod
    def from_environment(environment: Mapping[str, str]) -> ThorSettings:
        """Reads HOUSEGUEST_THOR_PLATFORM, _EXECUTABLE, _HOME, _GPU, _DISPLAY, _CPUS,
        _START_SECONDS, _RESET_SECONDS, _STEP_SECONDS, _STOP_SECONDS, _EPISODES, _SECONDS,
        _MEMORY_BYTES and _WARM; a variable that is unset or empty keeps its default. In a worker
        with a place assigned by an engine, that place overrides _GPU and _CPUS.

        Raises:
            ValueError: naming the variable, what is wrong with it, and its possible values.
        """
        variables, plain = Variables(_placed(environment), PREFIX), ThorSettings()
        return ThorSettings(
            platform=_platform(variables),
            executable=variables.text("EXECUTABLE"),
            home=variables.folder("HOME"),
            gpu=variables.whole_or_none("GPU", least=0),
            display=variables.text("DISPLAY"),
            cpus=variables.processors("CPUS"),
            deadlines=_deadlines(variables),
            lifetime=_lifetime(variables),
            warm=variables.whole("WARM", plain.warm, least=0),
        )


def _placed(environment: Mapping[str, str]) -> Mapping[str, str]:
    place = {f"{PREFIX}GPU": WORKER_GPU, f"{PREFIX}CPUS": WORKER_CPUS}
    ours = {name: environment[given] for name, given in place.items() if given in environment}
    return {**environment, **ours}


def _platform(variables: Variables) -> Platform:
    platform = variables.choice("PLATFORM", Platform.AUTO)
    if platform is Platform.EXECUTABLE and not variables.text("EXECUTABLE"):
        raise ValueError(
            f"{PREFIX}PLATFORM is executable, but {PREFIX}EXECUTABLE is not set: set it to the "
            "player's command line"
        )
    return platform


def _deadlines(variables: Variables) -> Deadlines:
    plain = Deadlines()
    return Deadlines(
        start=variables.seconds("START_SECONDS", plain.start),
        reset=variables.seconds("RESET_SECONDS", plain.reset),
        step=variables.seconds("STEP_SECONDS", plain.step),
        stop=variables.seconds("STOP_SECONDS", plain.stop),
    )


def _lifetime(variables: Variables) -> Lifetime:
    plain = Lifetime()
    return Lifetime(
        episodes=variables.whole("EPISODES", plain.episodes, least=1),
        seconds=variables.seconds("SECONDS", plain.seconds),
        memory_bytes=variables.whole("MEMORY_BYTES", plain.memory_bytes, least=1),
    )


# --- Settings as text: what environment variables say, checked one by one

Choice = TypeVar("Choice", bound=StrEnum)

CPUS = 4096
"""Processors are numbered below this, far beyond any machine, so that a slip of the finger in a
range does not fill the memory."""


@dataclass(frozen=True, slots=True)
class Variables:
    """Environment variables of one prefix. Unset and empty are the same: the default counts.

    Every method raises ValueError for a value that cannot be read or is out of range; the text
    names the variable, the value and what it may be.
    """

    environment: Mapping[str, str]
    prefix: str

    def text(self, name: str, default: str = "") -> str:
        """A variable's text without blanks around it."""
        return self.environment.get(self.prefix + name, "").strip() or default

    def choice(self, name: str, default: Choice) -> Choice:
        """One of an enumeration's values; capitals do not matter."""
        text = self.text(name, default.value)
        for each in type(default):
            if each.value.lower() == text.lower():
                return each
        known = ", ".join(each.value for each in type(default))
        raise self.wrong(name, f"one of {known}")

    def whole(self, name: str, default: int, *, least: int) -> int:
        """A whole number, at least so much."""
        found = self.whole_or_none(name, least=least)
        return default if found is None else found

    def whole_or_none(self, name: str, *, least: int) -> int | None:
        """The same; None where nothing is set."""
        text = self.text(name)
        if not text:
            return None
        if not (text.isascii() and text.isdigit() and int(text) >= least):
            raise self.wrong(name, f"a whole number of {least} or more")
        return int(text)

    def seconds(self, name: str, default: float) -> float:
        """A number of seconds, more than 0."""
        text = self.text(name)
        if not text:
            return default
        try:
            value = float(text)
        except ValueError:
            value = math.nan
        if not 0 < value < math.inf:
            raise self.wrong(name, "a number of seconds above 0, such as 90 or 2.5")
        return value

    def folder(self, name: str) -> Path | None:
        """An absolute path, or one that begins with ~; None where nothing is set."""
        text = self.text(name)
        if not text:
            return None
        path = Path(text).expanduser()
        if not path.is_absolute():
            raise self.wrong(name, "an absolute path")
        return path

    def processors(self, name: str) -> tuple[int, ...]:
        """Numbers of processors as the kernel writes them, "0-3,8"; each once, rising."""
        found: set[int] = set()
        for part in filter(None, self.text(name).split(",")):
            ends = [end.strip() for end in part.split("-")]
            if not (len(ends) <= 2 and all(end.isascii() and end.isdigit() for end in ends)):
                raise self.wrong(name, 'processors such as "0-3,8"')
            first, last = int(ends[0]), int(ends[-1])
            if not first <= last < CPUS:
                raise self.wrong(name, f'processors such as "0-3,8", rising and below {CPUS}')
            found.update(range(first, last + 1))
        return tuple(sorted(found))

    def wrong(self, name: str, wanted: str) -> ValueError:
        """The error for a variable whose value is not what is wanted."""
        return ValueError(f"{self.prefix}{name} is {self.text(name)!r}; it has to be {wanted}")
