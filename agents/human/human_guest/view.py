"""What a person sees at one moment, made from the library's objects.

Both interfaces show it; neither stores any state of the game.
"""

from __future__ import annotations

import struct
import zlib
from dataclasses import dataclass, field
from enum import Enum
from hashlib import sha256

from houseguest_agent import (
    ActionSpace,
    Channel,
    Episode,
    EpisodeStatus,
    Image,
    ImageEncoding,
    ImageRole,
    Mode,
    Observation,
    OutcomeCode,
    PastStep,
    Plan,
    SkillCall,
    Text,
)


class Phase(Enum):
    """Whose turn it is."""

    CONNECTING = "connecting"
    """No session yet, or no episode."""
    WAITING = "waiting"
    """The service is busy."""
    DECIDING = "deciding"
    """The person acts next."""
    ENDED = "ended"
    """The episode is over; the person asks for the next one."""
    OVER = "over"
    """Nothing is left to play."""
    LEFT = "left"
    """The person has left the session."""
    FAILED = "failed"
    """Something failed; ``View.notice`` says what."""

    @property
    def final(self) -> bool:
        """Whether the view will not change any more."""
        return self in (Phase.OVER, Phase.LEFT, Phase.FAILED)


@dataclass(frozen=True, slots=True)
class Picture:
    """One picture as a file.

    ``key`` is the SHA-256 (hex) of ``data``; ``role`` is ``current``, ``previous`` or ``view``.
    ``rgb`` has the raw samples, row by row, 3 bytes per pixel; None if the picture came
    compressed.
    """

    key: str
    role: str
    caption: str
    width: int
    height: int
    media_type: str
    data: bytes = field(repr=False)
    rgb: bytes | None = field(repr=False, default=None)


@dataclass(frozen=True, slots=True)
class ContextText:
    """A named text of the task."""

    name: str
    title: str
    text: str


@dataclass(frozen=True, slots=True)
class OutcomeView:
    """An action's outcome. If it is withheld, ``label`` is empty and ``good`` None."""

    label: str
    feedback: str
    good: bool | None


@dataclass(frozen=True, slots=True)
class PastAction:
    """An action of this episode; a plan has an outcome for each of its executed steps."""

    action: str
    outcomes: tuple[OutcomeView, ...]


@dataclass(frozen=True, slots=True)
class EpisodeView:
    """What stays the same in an episode.

    Attributes:
        number: Counts from 1 since this program started.
        total: The number of episodes in the run (a hint; 0 if unknown).
        mode: ``stepwise``, ``plan`` or ``answer``.
        takes_words: Actions may also be given as text.
    """

    number: int
    total: int
    id: str
    suite: str
    suite_version: str
    mode: str
    condition: tuple[tuple[str, str], ...]
    instruction: str
    language: str
    texts: tuple[ContextText, ...]
    space: ActionSpace
    max_steps: int | None
    takes_words: bool


@dataclass(frozen=True, slots=True)
class Scene:
    """The newest observation: ``index`` 0 opened the episode."""

    index: int
    text: str
    pictures: tuple[Picture, ...]


@dataclass(frozen=True, slots=True)
class Deadlines:
    """When the person must have acted, as ``time.monotonic``; None for no limit."""

    step: float | None = None
    episode: float | None = None

    @property
    def next(self) -> float | None:
        """The earlier one."""
        return min((each for each in (self.step, self.episode) if each is not None), default=None)


@dataclass(frozen=True, slots=True)
class Close:
    """How an episode ended, as text, with no more than any agent learns."""

    title: str
    detail: str


@dataclass(frozen=True, slots=True)
class View:
    """Everything to show. ``version`` increases with each change, ``turn`` with each requested
    command: a command answers one turn, so that two windows cannot both act in it."""

    version: int = 0
    turn: int = 0
    phase: Phase = Phase.CONNECTING
    episode: EpisodeView | None = None
    scene: Scene | None = None
    history: tuple[PastAction, ...] = ()
    steps_left: int | None = None
    deadlines: Deadlines = Deadlines()
    close: Close | None = None
    notice: str = ""


# --- From the library's objects to the view

_MEDIA_TYPES = {
    ImageEncoding.PNG: "image/png",
    ImageEncoding.WEBP_LOSSLESS: "image/webp",
    ImageEncoding.JPEG: "image/jpeg",
}
_ORDER = {ImageRole.PREVIOUS: -1, ImageRole.VIEW: 1}
"""The order of pictures: before the last action, now, views."""
_LAST = ("answer_rules",)
"""Texts that matter only for text actions."""


def view_episode(episode: Episode, number: int, total: int) -> EpisodeView:
    """What stays the same."""
    modes = {Mode.PLAN: "plan", Mode.ANSWER: "answer"}
    texts = (ContextText(name, title_of(name), clean(text)) for name, text in _ordered(episode))
    return EpisodeView(
        number=number,
        total=total,
        id=episode.id,
        suite=episode.suite,
        suite_version=episode.suite_version,
        mode=modes.get(episode.mode, "stepwise"),
        condition=tuple(sorted(episode.condition.items())),
        instruction=clean(episode.instruction),
        language=episode.language,
        texts=tuple(texts),
        space=episode.action_space,
        max_steps=episode.max_steps,
        takes_words="answer_rules" in episode.context,
    )


def _ordered(episode: Episode) -> list[tuple[str, str]]:
    return sorted(episode.context.items(), key=lambda item: (item[0] in _LAST, item[0]))


def view_scene(observation: Observation, known: Scene | None) -> Scene:
    """The newest observation; reuses the pictures in ``known``."""
    by_pixels = {p.rgb: p for p in known.pictures} if known else {}
    images = sorted(observation.images, key=lambda image: _ORDER.get(image.role, 0))
    pictures = tuple(
        _picture(image, by_pixels)
        for image in images
        if image.encoding is not ImageEncoding.RAW_F32
    )
    return Scene(observation.index, clean(observation.text), pictures)


def _picture(image: Image, known: dict[bytes | None, Picture]) -> Picture:
    shown = (image.role.name.lower(), clean(caption_of(image)))
    size = (image.width, image.height)
    if image.encoding is not ImageEncoding.RAW:
        media_type = _MEDIA_TYPES.get(image.encoding, "application/octet-stream")
        return Picture(image.digest, *shown, *size, media_type, image.data)
    rgb = image.data
    same = known.get(rgb)
    data = same.data if same else encode_png(rgb, *size)
    key = same.key if same else sha256(data).hexdigest()
    return Picture(key, *shown, *size, "image/png", data, rgb)


def view_history(steps: list[PastStep]) -> tuple[PastAction, ...]:
    """All actions so far, oldest first."""
    return tuple(PastAction(clean(describe(step.action)), _outcomes(step)) for step in steps)


def _outcomes(step: PastStep) -> tuple[OutcomeView, ...]:
    good = {OutcomeCode.SUCCEEDED: True, OutcomeCode.WITHHELD: None}
    return tuple(
        OutcomeView(
            OUTCOMES.get(each.code, "taken"), clean(each.feedback), good.get(each.code, False)
        )
        for each in step.outcomes
    )


# --- The protocol's codes and statuses in words for people

Action = SkillCall | Text | Plan

OUTCOMES = {
    OutcomeCode.SUCCEEDED: "done",
    OutcomeCode.REFUSED: "refused",
    OutcomeCode.WITHHELD: "",
    OutcomeCode.UNPARSABLE: "not understood",
    OutcomeCode.UNKNOWN_SKILL: "no such action",
    OutcomeCode.UNKNOWN_OBJECT: "no such object",
    OutcomeCode.PRECONDITION_FAILED: "not possible now",
    OutcomeCode.PHYSICALLY_BLOCKED: "something is in the way",
}

ENDINGS = {
    EpisodeStatus.TERMINATED: (
        "This episode is over",
        "It is recorded. Players are not shown whether the goal was reached.",
    ),
    EpisodeStatus.TRUNCATED: (
        "This episode was cut short",
        "The steps or the time that it allows are used up, or too many actions failed. It is"
        " recorded. Players are not shown whether the goal was reached.",
    ),
    EpisodeStatus.VOIDED: (
        "This episode does not count",
        "The service failed, through no fault of yours. You will get its task again later.",
    ),
}

_TITLES = {
    "answer_rules": "Answers in your own words",
    "available_objects": "Objects",
    "world_rules": "Rules of the world",
}


def title_of(name: str) -> str:
    """The heading of a context text: ``world_rules`` is "Rules of the world"."""
    return _TITLES.get(name) or name.replace("_", " ").strip().capitalize() or "Text"


def caption_of(image: Image) -> str:
    """A short description of a picture."""
    if image.role is ImageRole.PREVIOUS:
        shown = "Before your last action"
    elif image.role is ImageRole.VIEW:
        shown = image.view or "View"
    else:
        shown = "Now"
    kind = "" if image.channel is Channel.RGB else image.channel.name.lower().replace("_", " ")
    return f"{shown} ({kind})" if kind else shown


def describe_call(call: SkillCall) -> str:
    """``FIND Mirror``; commas separate several arguments."""
    return f"{call.name} {', '.join(call.arguments.values())}".rstrip()


def describe(action: Action) -> str:
    """An action as one text; a plan has a line for each step."""
    if isinstance(action, SkillCall):
        return describe_call(action)
    if isinstance(action, Plan):
        return "\n".join(map(describe_call, action.steps)) or "(an empty plan)"
    return action.text or "(no words)"


def clean(text: str) -> str:
    """The text without control characters, which a terminal would execute."""
    return "".join(each for each in text if each.isprintable() or each in "\n\t")


# --- Raw pixels as a PNG file, with the standard library alone

_SIGNATURE = b"\x89PNG\r\n\x1a\n"
_COLOUR, _BITS = 2, 8
_LEVEL = 1
"""The level of zlib: each picture is viewed once, on the same machine."""


def encode_png(rgb: bytes, width: int, height: int) -> bytes:
    """A PNG file (RFC 2083) of 8-bit RGB samples, row by row. Raises ValueError unless there are
    ``3 * width * height``."""
    row = 3 * width
    if len(rgb) != row * height:
        raise ValueError(f"{width} × {height} pixels take {row * height} bytes, not {len(rgb)}")
    lines = b"".join(b"\0" + rgb[at : at + row] for at in range(0, len(rgb), row))
    head = struct.pack(">IIBBBBB", width, height, _BITS, _COLOUR, 0, 0, 0)
    chunks = ((b"IHDR", head), (b"IDAT", zlib.compress(lines, _LEVEL)), (b"IEND", b""))
    return _SIGNATURE + b"".join(_chunk(kind, data) for kind, data in chunks)


def _chunk(kind: bytes, data: bytes) -> bytes:
    checksum = zlib.crc32(kind + data)
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", checksum)
