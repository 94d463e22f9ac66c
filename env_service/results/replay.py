"""Plays a recorded episode again, and compares."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing
from hashlib import sha256
from typing import Any

import numpy as np

from env_service.domain.episode import (
    Episode,
    EpisodeStatus,
    FinishReason,
    FirstObservation,
    StepReport,
)
from env_service.domain.observation import Frame, ImageEncoding, Observation
from env_service.domain.outcome import Disclosure
from env_service.results.canonical import canonical
from env_service.results.envelope import (
    STATUSES,
    opening_json,
    outcomes_json,
    read_action,
    result_json,
)
from env_service.results.fields import FormatError
from env_service.results.frames import FrameError, FrameStore
from env_service.suites.base import EpisodeOrder, Suite
from env_service.wire.images import decode

Difference = tuple[int, str]
"""The line of the transcript, and what differs."""

_SHOWN_CHARACTERS = 60


def replay_episode(
    suite: Suite,
    order: EpisodeOrder,
    exchanges: Iterable[tuple[int, Mapping[str, Any]]],
    store: FrameStore,
) -> Iterator[Difference]:
    """Opens the order again, acts as recorded, and yields every difference.

    ``exchanges`` are the transcript's lines after its header, by number; malformed ones
    are differences too. Compared are instruction, action space, limits, state digests,
    outcomes as they were and as they were told, texts, pixels, and the score.
    """
    number = 1
    try:
        with closing(suite.open_episode(order)) as episode:
            replay = _Replay(episode, suite.disclosure(order.condition), store)
            for number, line in exchanges:
                for what in replay.exchange(line):
                    yield number, what
    except (FormatError, KeyError, TypeError, ValueError, AttributeError) as error:
        yield number, f"the line cannot be replayed: {type(error).__name__}: {error}"
    except Exception as error:  # noqa: BLE001 - whatever a suite raises is reported as found
        yield number, f"the suite failed: {type(error).__name__}: {error}"


class _Replay:
    """One episode, played from its transcript."""

    def __init__(self, episode: Episode, disclosure: Disclosure, store: FrameStore) -> None:
        self._episode = episode
        self._disclosure = disclosure
        self._store = store
        self._running = False

    def exchange(self, line: Mapping[str, Any]) -> Iterator[str]:
        """Plays one line and yields what differs."""
        match line.get("kind"):
            case "begin":
                yield from self._begin(self._episode.start(), line)
            case "step" if not self._running:
                yield "an action is recorded after the episode was over"
            case "step":
                yield from self._step(self._episode.act(read_action(line["action"])), line)
            case "close" if line["reason"] is not None:
                result = self._episode.finish(FinishReason(line["reason"]))
                recorded = line["result"] or {}
                replayed = _as_recorded(result_json(result), recorded)
                yield from _differences("result", recorded, replayed)

    def _begin(self, first: FirstObservation, line: Mapping[str, Any]) -> Iterator[str]:
        self._running = True
        truth = opening_json(first, self._episode.state_digest())
        yield from _differences("truth", line["truth"], truth)
        limit = first.max_steps if self._disclosure.step_limit else None
        yield from _difference("told max_steps", line["shown"]["told"].get("max_steps"), limit)
        yield from self._observation(line["shown"], first.observation)

    def _step(self, report: StepReport, line: Mapping[str, Any]) -> Iterator[str]:
        self._running = report.status is EpisodeStatus.RUNNING
        # Before anything else: a suite may draw the next picture over the last one.
        yield from self._observation(line["shown"], report.observation)
        truth = {
            "outcomes": outcomes_json(report.outcomes),
            "status": STATUSES[report.status],
            "steps_left": report.steps_left,
            "state_digest": self._episode.state_digest(),
        }
        yield from _differences("truth", line["truth"], truth)
        told = outcomes_json(map(self._disclosure.outcome, report.outcomes))
        yield from _difference("told outcomes", line["shown"]["outcomes"], told)

    def _observation(self, shown: Mapping[str, Any], replayed: Observation) -> Iterator[str]:
        yield from _difference("text", shown["text"], replayed.text)
        images = shown["images"]
        if len(images) != len(replayed.frames):
            yield f"pictures shown: {len(images)}, replayed: {len(replayed.frames)}"
        for index, (image, frame) in enumerate(zip(images, replayed.frames, strict=False)):
            for what in self._picture(image, frame):
                yield f"picture {index}: {what}"

    def _picture(self, image: Mapping[str, Any], frame: Frame) -> Iterator[str]:
        height, width = frame.pixels.shape[:2]
        kind = {
            "channel": frame.channel.name,
            "role": frame.role.name,
            "view": frame.view,
            "width": width,
            "height": height,
        }
        yield from _differences("picture", {key: image.get(key) for key in kind}, kind)
        encoding = ImageEncoding[image["encoding"]]
        if encoding in (ImageEncoding.RAW, ImageEncoding.RAW_F32):
            digest = sha256(np.ascontiguousarray(frame.pixels).data).hexdigest()
            yield from _difference("pixels' SHA-256", image["sha256"], digest)
            return
        # An encoder's bytes may change between its versions; the pixels may not.
        try:
            data = self._store.read(bytes.fromhex(image["sha256"]), encoding)
        except FrameError:
            return  # verification reports missing and damaged pictures itself
        if not np.array_equal(decode(data, encoding, width, height), frame.pixels):
            yield "the pixels differ"


def _as_recorded(replayed: dict[str, Any], recorded: Mapping[str, Any]) -> dict[str, Any]:
    """The score without what held at the start, where the recording is from before that was
    written down."""
    if all(len(each) == 2 for each in recorded.get("goal_conditions", [])):
        pairs = [each[:2] for each in replayed["goal_conditions"]]
        return {**replayed, "goal_conditions": pairs}
    return replayed


def _differences(
    name: str, recorded: Mapping[str, Any], replayed: Mapping[str, Any]
) -> Iterator[str]:
    for key in sorted({*recorded, *replayed}):
        yield from _difference(f"{name}.{key}", recorded.get(key), replayed.get(key))


def _difference(name: str, recorded: Any, replayed: Any) -> Iterator[str]:
    before, now = canonical(recorded), canonical(replayed)
    if before != now:
        yield f"{name}: recorded {_short(before)}, replayed {_short(now)}"


def _short(text: bytes) -> str:
    shown = text.decode()
    return shown if len(shown) <= _SHOWN_CHARACTERS else shown[: _SHOWN_CHARACTERS - 1] + "…"
