"""From the library's objects to what a person is shown."""

from __future__ import annotations

from hashlib import sha256

from houseguest_agent import (
    Episode,
    Image,
    ImageEncoding,
    ImageRole,
    Mode,
    Observation,
    OutcomeCode,
    PastStep,
)

from .png import encode_png
from .view import ContextText, EpisodeView, OutcomeView, PastAction, Picture, Scene
from .words import OUTCOMES, caption_of, clean, describe, title_of

_MEDIA_TYPES = {
    ImageEncoding.PNG: "image/png",
    ImageEncoding.WEBP_LOSSLESS: "image/webp",
    ImageEncoding.JPEG: "image/jpeg",
}
_ORDER = {ImageRole.PREVIOUS: -1, ImageRole.VIEW: 1}
"""Pictures in the order of time: before the last action, now, views."""
_LAST = ("answer_rules",)
"""Texts that matter only to those who answer in words."""


def watch_episode(episode: Episode, number: int, total: int) -> EpisodeView:
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


def watch_scene(observation: Observation, known: Scene | None) -> Scene:
    """The newest observation; pictures that ``known`` holds are not made again."""
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


def watch_history(steps: list[PastStep]) -> tuple[PastAction, ...]:
    """Everything done so far, oldest first."""
    return tuple(PastAction(clean(describe(step.action)), _outcomes(step)) for step in steps)


def _outcomes(step: PastStep) -> tuple[OutcomeView, ...]:
    good = {OutcomeCode.SUCCEEDED: True, OutcomeCode.WITHHELD: None}
    return tuple(
        OutcomeView(
            OUTCOMES.get(each.code, "taken"), clean(each.feedback), good.get(each.code, False)
        )
        for each in step.outcomes
    )
