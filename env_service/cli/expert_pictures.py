"""Draws an expert's solution as a strip of pictures or as a film."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from functools import partial
from io import BytesIO
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from env_service.cli.errors import Misuse
from env_service.contact_sheets import Panel, sheet
from env_service.domain.action import Action, Plan, SkillCall, Text, Unreadable
from env_service.domain.episode import EpisodeStatus
from env_service.domain.observation import Channel, ImageRole, Observation, ObservationRequest
from env_service.domain.outcome import Outcome, OutcomeCode
from env_service.storage.atomic_files import write_atomically
from env_service.suites.base import EpisodeOrder, Suite

STRIP_PIXELS, FILM_PIXELS = 256, 512
"""Maximum width and height of a picture in a strip and in a film."""

COLUMNS = 6
"""Number of columns of a strip."""

SECOND, LAST_SECONDS = 1000, 3
"""Milliseconds per picture of a film, and seconds for its last picture."""

_LONGEST = 40


@dataclass(frozen=True, slots=True)
class ExpertShot:
    """What the agent sees after the action in ``caption``: RGB, uint8 [H, W, 3]."""

    caption: str
    pixels: NDArray[np.uint8]


@dataclass(frozen=True, slots=True)
class ExpertDrawing:
    """Output folders for a suite's strips and films; None draws none."""

    suite: Suite
    strips: Path | None
    films: Path | None

    def check(self, orders: Sequence[EpisodeOrder]) -> None:
        """Raises Misuse if agents get no pictures under the condition of the orders."""
        if not orders:
            return
        offer = self.suite.offer(orders[0].condition)
        if not any(channel is Channel.RGB for channel, _ in offer.channels):
            raise Misuse(
                f"Agents get no pictures under this condition of {self.suite.name}: choose"
                " another with --set or --condition (see `houseguest suites SUITE`), or remove"
                " --strips and --films."
            )

    def draw(self, order: EpisodeOrder, actions: Sequence[Action]) -> None:
        """Draws one solution; skips files that exist."""
        wanted = [
            (path, draw)
            for folder, suffix, draw in (
                (self.strips, ".png", partial(draw_strip, order.task.id)),
                (self.films, ".gif", draw_film),
            )
            if folder is not None and not (path := _path(folder, order.task.id, suffix)).exists()
        ]
        shots = list(shots_of(self.suite, order, actions)) if wanted else []
        for path, draw in wanted:
            path.parent.mkdir(parents=True, exist_ok=True)
            write_atomically(path, draw(shots))


def shots_of(suite: Suite, order: EpisodeOrder, actions: Sequence[Action]) -> Iterator[ExpertShot]:
    """Yields the opening, then what the agent sees after each action.

    Raises what the episode's ``start`` and ``act`` raise.
    """
    request = suite.offer(order.condition).grant(ObservationRequest())
    with closing(suite.open_episode(replace(order, request=request))) as episode:
        yield ExpertShot("at the start", _seen(episode.start().observation))
        for number, action in enumerate(actions, 1):
            report = episode.act(action)
            yield ExpertShot(
                f"{number}. {_said(action, report.outcomes)}", _seen(report.observation)
            )
            if report.status is not EpisodeStatus.RUNNING:
                return


def draw_strip(title: str, shots: Sequence[ExpertShot]) -> bytes:
    """A PNG with all shots in a grid, each with its caption."""
    panels = [Panel(each.caption, np.asarray(_small(each, STRIP_PIXELS))) for each in shots]
    return _encoded(sheet(title, panels, COLUMNS))


def draw_film(shots: Sequence[ExpertShot]) -> bytes:
    """A looping GIF with one shot per second and captions below."""
    first, *rest = (
        sheet("", [Panel(each.caption, np.asarray(_small(each, FILM_PIXELS)))], 1) for each in shots
    )
    lasting = [SECOND] * len(rest) + [LAST_SECONDS * SECOND]
    return _encoded(first, "GIF", save_all=True, append_images=rest, duration=lasting, loop=0)


def _path(folder: Path, task_id: str, suffix: str) -> Path:
    # Task ids may contain slashes, which file names cannot.
    return folder / f"{task_id.replace('/', '_')}{suffix}"


def _seen(observation: Observation) -> NDArray[np.uint8]:
    current = (
        frame.pixels
        for frame in observation.frames
        if frame.channel is Channel.RGB and frame.role is ImageRole.CURRENT
    )
    # Copy the frame: it is only valid until the next observation.
    return np.array(next(current), dtype=np.uint8)


def _small(shot: ExpertShot, side: int) -> Image.Image:
    picture = Image.fromarray(shot.pixels)
    picture.thumbnail((side, side), Image.Resampling.LANCZOS)
    return picture


def _said(action: Action, outcomes: Sequence[Outcome]) -> str:
    done = all(outcome.code is OutcomeCode.SUCCEEDED for outcome in outcomes)
    text = _words(action)
    return (text if len(text) <= _LONGEST else text[: _LONGEST - 3] + "...") + (
        "" if done else " (refused)"
    )


def _words(action: Action) -> str:
    match action:
        case SkillCall(name, arguments):
            return " ".join((name, *(value for _, value in arguments)))
        case Text(text):
            return " ".join(text.split())
        case Plan(steps):
            return ", ".join(map(_words, steps))
        case Unreadable(problem):
            return problem


def _encoded(picture: Image.Image, form: str = "PNG", **settings: object) -> bytes:
    buffer = BytesIO()
    picture.save(buffer, form, **settings)
    return buffer.getvalue()
