"""Replays recorded episodes, if their suite is installed and deterministic, and compares them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing
from hashlib import sha256
from itertools import islice
from typing import Any

import numpy as np

from env_service.domain.data_node import DataNode, FormatError
from env_service.domain.episode import (
    Episode,
    EpisodeStatus,
    FinishReason,
    FirstObservation,
    StepReport,
)
from env_service.domain.observation import Frame, ImageEncoding, Observation
from env_service.domain.outcome import Disclosure
from env_service.domain.task import TaskSet
from env_service.results.domain_json import (
    STATUSES,
    opening_json,
    outcomes_json,
    read_action,
    read_order,
    result_json,
)
from env_service.results.manifest import Manifest, build_changes, package_versions
from env_service.results.run_layout import MANIFEST
from env_service.results.transcript import TranscriptContents
from env_service.results.verification_findings import Findings
from env_service.storage.canonical_json import canonical
from env_service.storage.frame_store import FrameError, FrameStore
from env_service.suites.base import EpisodeOrder, Suite
from env_service.suites.registry import load_suite, suite_names
from env_service.suites.selection import find_task_set
from env_service.wire.images import decode
from env_service.worlds.base import as_described, describe_world

Difference = tuple[int, str]
"""The line of the transcript, and the difference."""

_SHOWN_CHARACTERS = 60


def replay_episode(
    suite: Suite,
    order: EpisodeOrder,
    exchanges: Iterable[tuple[int, Mapping[str, Any]]],
    store: FrameStore,
) -> Iterator[Difference]:
    """Opens the order again, repeats the recorded actions, and yields every difference.

    ``exchanges`` are the transcript's lines after its header, by number; malformed ones are
    differences too. It compares instruction, action space, limits, state digests, outcomes before
    and after disclosure, texts, pixels, and the score.
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
    """The replay of one episode from its transcript."""

    def __init__(self, episode: Episode, disclosure: Disclosure, store: FrameStore) -> None:
        self._episode = episode
        self._disclosure = disclosure
        self._store = store
        self._running = False

    def exchange(self, line: Mapping[str, Any]) -> Iterator[str]:
        """Replays one line and yields the differences."""
        match line.get("kind"):
            case "begin":
                yield from self._begin(self._episode.start(), line)
            case "step" if not self._running:
                yield "an action is recorded after the end of the episode"
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
        yield from _difference(
            "max_steps shown to the agent", line["shown"]["told"].get("max_steps"), limit
        )
        yield from self._observation(line["shown"], first.observation)

    def _step(self, report: StepReport, line: Mapping[str, Any]) -> Iterator[str]:
        self._running = report.status is EpisodeStatus.RUNNING
        # First of all, because a suite may render the next image into the same memory.
        yield from self._observation(line["shown"], report.observation)
        truth = {
            "outcomes": outcomes_json(report.outcomes),
            "status": STATUSES[report.status],
            "steps_left": report.steps_left,
            "state_digest": self._episode.state_digest(),
        }
        yield from _differences("truth", line["truth"], truth)
        disclosed = outcomes_json(map(self._disclosure.outcome, report.outcomes))
        yield from _difference("outcomes shown to the agent", line["shown"]["outcomes"], disclosed)

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
        # The bytes of an encoder may change between its versions; the pixels may not.
        try:
            data = self._store.read(bytes.fromhex(image["sha256"]), encoding)
        except FrameError:
            return  # verification reports missing and damaged pictures itself
        if not np.array_equal(decode(data, encoding, width, height), frame.pixels):
            yield "the pixels differ"


def _as_recorded(replayed: dict[str, Any], recorded: Mapping[str, Any]) -> dict[str, Any]:
    """The score as an older recording stores it: without what held at the start."""
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


# --- Replays the episodes of one run, if its suite is installed and deterministic

MAX_DIFFERENCES = 10
"""How many differences of a replayed episode are reported; later ones often follow from the first.
"""

_INSTALL = "nothing was replayed: install the houseguest that played the run"


class ReplayCheck:
    """Replays recorded episodes, and reports differences."""

    def __init__(
        self,
        suite: Suite,
        task_set: TaskSet,
        store: FrameStore,
        findings: Findings,
        manifest: Manifest,
    ) -> None:
        self._suite = suite
        self._world, self._facts = manifest.world, manifest.known_world()
        self._tasks = {task.id: task for task in task_set.tasks}
        self._store = store
        self._findings = findings

    @staticmethod
    def prepare(
        manifest: Manifest, named: str | None, store: FrameStore, findings: Findings
    ) -> ReplayCheck | None:
        """Loads the suite; returns None, and reports the reason, if no replay is possible.

        ``named`` is the ``module:class`` of a suite that is not built in. Raises what
        ``load_suite`` raises if it cannot be loaded.
        """
        if named is None and manifest.suite not in suite_names():
            findings.add(
                MANIFEST,
                None,
                f"suite {manifest.suite!r} is not built in, so nothing was replayed",
                "give its module:class to load it, or verify without a replay",
            )
            return None
        suite = load_suite(named or manifest.suite)
        task_set = _same_rules(manifest, suite, findings)
        if task_set is None:
            return None
        if manifest.world not in suite.deterministic:
            findings.notes.append(
                f"Suite {suite.name} is not deterministic in {manifest.world}: nothing was"
                " replayed."
            )
            return None
        _note_packages(manifest, findings)
        return ReplayCheck(suite, task_set, store, findings, manifest)

    def check(self, text: TranscriptContents, file: str) -> None:
        """Replays one transcript, unless its episode was voided or has no order."""
        try:
            order = read_order(DataNode(text.lines[0][1], "header")["order"])
        except (FormatError, IndexError):
            return  # the check of the transcript reports it
        if text.lines[-1][1].get("fault") is not None:
            return
        self._check_order(order, file)
        other_build = ""
        with as_described(self._world, self._facts):
            found = replay_episode(self._suite, order, text.lines[1:], self._store)
            differences = list(islice(found, MAX_DIFFERENCES + 1))
            if differences:
                other_build = build_changes(self._facts, describe_world(self._world))
        if other_build:
            what = f"the episode was played in another build of its world: {other_build}"
            self._findings.add(file, None, what, _INSTALL)
            return
        for count, (line, what) in enumerate(differences):
            if count == MAX_DIFFERENCES:
                self._findings.add(file, line, "further differences are omitted")
                break
            self._findings.add(file, line, f"the replay differs: {what}")
        self._findings.replayed += 1

    def _check_order(self, order: EpisodeOrder, file: str) -> None:
        task = self._tasks.get(order.task.id)
        if task is None:
            self._findings.add(file, 1, f"task {order.task.id!r} is not in the run's task set")
        elif canonical(dict(task.data)) != canonical(dict(order.task.data)):
            self._findings.add(file, 1, f"task {task.id!r} differs from the suite's")
        try:
            settled = self._suite.offer(order.condition).grant(order.request)
        except (ValueError, KeyError) as error:
            self._findings.add(
                file,
                1,
                f"granted pictures or texts are not offered: {error}",
            )
            return
        if settled != order.request:
            self._findings.add(file, 1, "the grant of pictures and texts is incomplete")


def _same_rules(manifest: Manifest, suite: Suite, findings: Findings) -> TaskSet | None:
    """The run's task set, if the installed rules are the run's."""
    if suite.version != manifest.suite_version:
        findings.add(
            MANIFEST,
            None,
            f"the run used rules {manifest.suite_version!r}, but {suite.version!r} are installed",
            _INSTALL,
        )
        return None
    found = find_task_set(suite, manifest.task_set, manifest.condition)
    task_set = found.task_set
    if task_set is None:
        what = f"task set {manifest.task_set!r} is unavailable: {found.problem}"
        findings.add(MANIFEST, None, what, "nothing was replayed")
        return None
    if task_set.digest(suite.name, suite.version) != manifest.task_set_digest:
        findings.add(
            MANIFEST,
            None,
            f"task set {manifest.task_set!r} differs from the installed one",
            _INSTALL,
        )
        return None
    return task_set


def _note_packages(manifest: Manifest, findings: Findings) -> None:
    now = package_versions(manifest.packages)
    for name, version in manifest.packages.items():
        if now[name] != version:
            findings.notes.append(
                f"Replayed with {name} {now[name]}; the run was played with {version}."
            )
