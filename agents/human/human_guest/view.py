"""What a person sees at one moment. Both faces show it; neither holds any state of the game."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum

from houseguest_agent import ActionSpace


class Phase(Enum):
    """Whose turn it is."""

    CONNECTING = "connecting"
    """No seat yet, or no episode."""
    WAITING = "waiting"
    """The house is at work."""
    DECIDING = "deciding"
    """The person acts next."""
    ENDED = "ended"
    """The episode is over; the person asks for the next one."""
    OVER = "over"
    """Nothing is left to play."""
    LEFT = "left"
    """The person has left the seat."""
    FAILED = "failed"
    """Something broke; ``View.notice`` says what."""

    @property
    def final(self) -> bool:
        """Whether nothing will change any more."""
        return self in (Phase.OVER, Phase.LEFT, Phase.FAILED)


@dataclass(frozen=True, slots=True)
class Picture:
    """One picture as a file.

    ``key`` is the SHA-256 (hex) of ``data``; ``role`` is ``current``, ``previous`` or ``view``.
    ``rgb`` are the raw samples, row by row, 3 bytes a
    pixel; None where the picture came compressed.
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
    """How one action was taken. ``label`` is empty where nothing is told, and ``good`` None."""

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

    ``number`` counts from 1 in this sitting, ``total`` is the run's (a hint; 0 unknown).
    ``mode`` is ``stepwise``, ``plan`` or ``answer``. ``takes_words``: actions may also be
    given in words.
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
    """By when the person has to act, as ``time.monotonic``; None: unbounded."""

    step: float | None = None
    episode: float | None = None

    @property
    def next(self) -> float | None:
        """The nearer one."""
        return min((each for each in (self.step, self.episode) if each is not None), default=None)


@dataclass(frozen=True, slots=True)
class Close:
    """How an episode ended, in words: no more than any agent learns."""

    title: str
    detail: str


@dataclass(frozen=True, slots=True)
class View:
    """Everything. ``version`` rises with each change, ``turn`` with each decision that is asked
    for: what is sent answers one turn, so that two windows cannot both act in it."""

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
