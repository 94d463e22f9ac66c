"""What the page is told: the view as JSON."""

from __future__ import annotations

import time
from dataclasses import asdict
from typing import Any

from ..view import Deadlines, EpisodeView, Picture, View


def document(view: View, player: str, now: float | None = None) -> dict[str, Any]:
    """The view, with pictures by the name under which the server has them.

    ``now`` is ``time.monotonic``; times go out as seconds that are left.
    """
    scene = view.scene
    return {
        "version": view.version,
        "turn": view.turn,
        "phase": view.phase.value,
        "player": player,
        "notice": view.notice,
        "episode": None if view.episode is None else _episode(view.episode),
        "scene": None
        if scene is None
        else {
            "index": scene.index,
            "text": scene.text,
            "pictures": [_picture(each) for each in scene.pictures],
        },
        "history": [asdict(each) for each in view.history],
        "steps_left": view.steps_left,
        "seconds_left": _seconds_left(view.deadlines, time.monotonic() if now is None else now),
        "close": None if view.close is None else asdict(view.close),
    }


def _episode(episode: EpisodeView) -> dict[str, Any]:
    space = episode.space
    return {
        "number": episode.number,
        "total": episode.total,
        "id": episode.id,
        "suite": episode.suite,
        "suite_version": episode.suite_version,
        "mode": episode.mode,
        "condition": dict(episode.condition),
        "instruction": episode.instruction,
        "language": episode.language,
        "texts": [asdict(each) for each in episode.texts],
        "skills": [asdict(skill) for skill in space.skills],
        "answer_format": space.answer_format,
        "max_steps": episode.max_steps,
        "takes_words": episode.takes_words,
    }


def _picture(picture: Picture) -> dict[str, Any]:
    return {
        "name": picture.key,
        "role": picture.role,
        "caption": picture.caption,
        "width": picture.width,
        "height": picture.height,
    }


def _seconds_left(deadlines: Deadlines, now: float) -> dict[str, float | None]:
    return {
        "step": None if deadlines.step is None else deadlines.step - now,
        "episode": None if deadlines.episode is None else deadlines.episode - now,
    }
