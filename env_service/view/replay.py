"""Replays a recorded episode and prints what was true at each moment, as JSON.

    python -m env_service.view.replay RUN_FOLDER EPISODE

It is a separate process: a simulator takes seconds and memory, and can be killed. It draws no
pictures, because the episode is opened without them. Prints `EpisodeFacts`; a failed replay has a
``problem``, and the moments before it.
"""

from __future__ import annotations

import json
import os
import resource
import sys
from collections.abc import Mapping
from contextlib import closing
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from env_service.domain.data_node import DataNode, FormatError
from env_service.domain.episode import Episode
from env_service.domain.moment import WatchedEpisode
from env_service.domain.observation import ObservationRequest
from env_service.results.domain_json import read_action, read_order
from env_service.results.episode_reader import transcript_lines
from env_service.results.manifest import Manifest, build_changes, read_manifest
from env_service.results.pictures import RecordingError
from env_service.storage.canonical_json import parse
from env_service.suites.base import EpisodeOrder, Suite
from env_service.suites.registry import load_suite, suite_names
from env_service.view.moments import Recorder
from env_service.worlds.base import as_described, describe_world

CPU_SECONDS = 120
"""Of an episode, after which the process is killed. 20 steps in a simulated room take about 4."""
_NICE = 5
"""Episodes that are played go first."""
_LONGEST_PROBLEM = 500


class _CannotReplayError(Exception):
    """The message says why, for people."""


class _DifferentError(_CannotReplayError):
    """The state is not as recorded."""


def main() -> None:
    """Replays the episodes that standard input names."""
    os.nice(_NICE)
    # What a simulator prints would be between the JSON.
    with os.fdopen(os.dup(1), "w", encoding="ascii") as out:
        os.dup2(2, 1)
        for line in sys.stdin:
            run, episode_id = json.loads(line)
            _limit_cpu()
            json.dump(asdict(replay_facts(Path(run), episode_id).facts()), out)
            print(file=out, flush=True)


def _limit_cpu() -> None:
    """Gives the next episode its share, apart from what earlier ones took."""
    spent = resource.getrusage(resource.RUSAGE_SELF)
    _, most = resource.getrlimit(resource.RLIMIT_CPU)
    limit = int(spent.ru_utime + spent.ru_stime) + CPU_SECONDS
    resource.setrlimit(resource.RLIMIT_CPU, (limit, most))


def replay_facts(run: Path, episode_id: str) -> Recorder:
    """What a replay finds, and the problem that ended it early."""
    recorder = Recorder()
    try:
        manifest = read_manifest(run)
        suite = _suite(manifest)
        facts = manifest.known_world()
        lines = (parse(line) for _, line in transcript_lines(run, episode_id))
        order = _without_pictures(read_order(DataNode(next(lines), "header")["order"]))
        with (
            as_described(manifest.world, facts),
            closing(_opened(suite, order, recorder)) as episode,
        ):
            for line in lines:
                _repeat(episode, line, recorder)
    except _DifferentError as error:
        changes = build_changes(facts, describe_world(manifest.world))
        recorder.problem = f"{error}; the world has changed: {changes}" if changes else str(error)
    except (_CannotReplayError, RecordingError) as error:
        recorder.problem = str(error)
    except (FormatError, KeyError, TypeError, ValueError, AttributeError, StopIteration) as error:
        recorder.problem = f"the transcript cannot be replayed: {type(error).__name__}: {error}"
    except Exception as error:  # noqa: BLE001 - whatever a suite raises is shown
        recorder.problem = f"the replay failed: {type(error).__name__}: {error}"
    recorder.problem = recorder.problem[:_LONGEST_PROBLEM]
    return recorder


def _suite(manifest: Manifest) -> Suite:
    """The suite of the run. A run's folder may name any module, so that only installed suites are
    loaded."""
    if manifest.suite not in suite_names():
        raise _CannotReplayError(f"the suite {manifest.suite} is not installed")
    suite = load_suite(manifest.suite)
    if suite.version != manifest.suite_version:
        raise _CannotReplayError(
            f"the run used rules {manifest.suite_version}, and {suite.version} are installed"
        )
    if manifest.world not in suite.deterministic:
        raise _CannotReplayError(
            f"the world {manifest.world} is not deterministic, so episodes cannot be replayed"
        )
    return suite


def _without_pictures(order: EpisodeOrder) -> EpisodeOrder:
    return replace(order, request=ObservationRequest(text=order.request.text))


def _opened(suite: Suite, order: EpisodeOrder, recorder: Recorder) -> Episode:
    episode = suite.open_episode(order)
    if not isinstance(episode, WatchedEpisode):
        episode.close()
        raise _CannotReplayError(f"the suite {suite.name} does not show the true state")
    episode.watch(recorder.note)
    return episode


def _repeat(episode: Episode, line: Mapping[str, Any], recorder: Recorder) -> None:
    match line["kind"]:
        case "begin":
            episode.start()
        case "step":
            recorder.step = 0 if recorder.step is None else recorder.step + 1
            episode.act(read_action(line["action"]))
        case _:
            return
    if episode.state_digest() != line["truth"]["state_digest"]:
        where = "the opening" if recorder.step is None else f"step {recorder.step + 1}"
        raise _DifferentError(f"the replay differs from the recording at {where}")


if __name__ == "__main__":
    main()
