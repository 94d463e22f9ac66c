"""The straight way: which of our functions lead an action to its world, and a score to its report.

A function that is added here has to do something: one that only hands on does not belong. See all
calls with ``python -m benchmarks.call_path``.
"""

from __future__ import annotations

import pytest

from benchmarks.call_path import CallPaths, Chain, record

CALL = (
    "unary.<locals>.carry_out",
    "AgentService._carry_out",
)
PLAY = (
    "AgentService._play_on",
    "AgentService._play_one",
    "AgentService._carry_out",
)
STEP = (
    "AgentSession.step",
    "EpisodeInPlay.act",
    "LocalEpisode.act",
    "WorkerLink.submit",
)
END = (
    "AgentSession.end",
    "AgentSession._finish",
    "EpisodeInPlay.finish",
    "LocalEpisode.finish",
    "WorkerLink.submit",
)


@pytest.fixture(scope="module")
def paths() -> CallPaths:
    """The calls of one episode of the laboratory."""
    return record()


def test_an_action_goes_from_the_wire_to_the_worker(paths: CallPaths) -> None:
    assert paths.to("unary", "WorkerLink.submit") == CALL + STEP
    assert paths.to("play", "WorkerLink.submit") == PLAY + STEP


def test_it_goes_from_the_worker_to_its_world(paths: CallPaths) -> None:
    assert paths.to("worker", "LabEpisode.act") == (
        "main",
        "serve",
        "EpisodeHost.answer",
        "EpisodeHost.act",
        "LabEpisode.act",
    )


@pytest.mark.parametrize("stage", ["unary", "play"])
def test_its_outcome_goes_back(paths: CallPaths, stage: str) -> None:
    assert paths.to(stage, "FrameReceiver.unpack") == (
        "WorkerLink.buffer_updated",
        "WorkerLink._take",
        "LocalEpisode._read_step",
        "FrameReceiver.unpack",
    )
    way: Chain = (CALL if stage == "unary" else PLAY) + STEP[:2]
    assert paths.to(stage, "Transcript.append") == (*way, "Transcript.append")
    assert paths.to(stage, "ObservationWriter.write_parts") == (
        *way,
        "EpisodeInPlay._answer",
        "ObservationWriter.write_parts",
    )


def test_a_score_goes_from_the_episode_to_the_run_folder(paths: CallPaths) -> None:
    assert paths.to("end", "WorkerLink.submit") == CALL + END
    assert paths.to("worker", "LabEpisode.finish") == (
        "main",
        "serve",
        "EpisodeHost.answer",
        "EpisodeHost.finish",
        "LabEpisode.finish",
    )
    assert paths.to("end", "Journal.append") == (
        "EpisodeInPlay.finish.<locals>.record",
        "RunFolder.record",
        "RunFolder._append",
        "Journal.append",
    )


def test_it_goes_from_the_run_folder_to_the_summary_and_the_scoreboard(paths: CallPaths) -> None:
    assert paths.to("end", "summarize") == (
        "RunFolder.write_summary",
        "summary_of",
        "RunContents.summary",
        "summarize",
    )
    assert paths.to("report", "summary_text")[-3:] == (
        "show_command",
        "_show_run",
        "summary_text",
    )
