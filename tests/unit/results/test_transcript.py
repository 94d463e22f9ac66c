"""Transcripts: what a line holds, and the chain over the lines."""

from __future__ import annotations

import math
from hashlib import sha256
from pathlib import Path

import pytest

from env_service.domain.action import ActionSpace, SkillCall
from env_service.domain.episode import (
    EpisodeResult,
    EpisodeStatus,
    FinishReason,
    FirstObservation,
    Mode,
)
from env_service.domain.failure import FailureClass
from env_service.domain.observation import (
    Channel,
    EncodedImage,
    EncodedObservation,
    ImageEncoding,
    ImageRole,
    Observation,
    ObservationRequest,
)
from env_service.domain.outcome import Outcome, OutcomeCode
from env_service.domain.task import Task
from env_service.engine.base import EncodedStep, Opening
from env_service.results.transcript import (
    BeginExchange,
    CloseExchange,
    StepExchange,
    Transcript,
    TranscriptHeader,
    read_transcript,
)
from env_service.storage.canonical_json import canonical, parse
from env_service.suites.base import EpisodeOrder

PICTURE = EncodedImage(
    Channel.RGB,
    ImageEncoding.RAW,
    1,
    1,
    ImageRole.CURRENT,
    "",
    sha256(b"rgb").digest(),
    b"rgb",
)
HEADER = TranscriptHeader(
    "run-1",
    "ep-1",
    "t/1",
    0,
    EpisodeOrder(Task("t/1", "g", "c"), "w", {}, ObservationRequest(), 5),
    "s-1",
    0,
)
BEGIN = BeginExchange(
    Opening(
        FirstObservation(Mode.STEPWISE, "Go.", ActionSpace(answer_format="x"), Observation(), 9),
        EncodedObservation("a room", (PICTURE,)),
        "00" * 32,
    ),
    {"max_steps": None},
    0.25,
)
CLOSE = CloseExchange(
    FinishReason.AGENT_GAVE_UP,
    EpisodeStatus.TERMINATED,
    EpisodeResult(False, (), FailureClass.GAVE_UP, 1, {"distance": 2}),
    None,
)


def step(trace: dict[str, object] | None = None) -> StepExchange:
    return StepExchange(
        index=0,
        epoch=1,
        action=SkillCall("open", (("object", "Tür"),)),
        trace=trace,
        disclosed=(Outcome(OutcomeCode.REFUSED),),
        step=EncodedStep(
            (Outcome(OutcomeCode.PRECONDITION_FAILED, "It is locked."),),
            EncodedObservation("a door", (PICTURE,)),
            EpisodeStatus.RUNNING,
            8,
            "11" * 32,
        ),
        agent_seconds=1.5,
        environment_seconds=0.002,
    )


def write(path: Path, *exchanges: BeginExchange | StepExchange | CloseExchange) -> str:
    transcript = Transcript(path, HEADER)
    for exchange in exchanges:
        transcript.append(exchange)
    assert transcript.count == len(exchanges)
    return transcript.close()


def test_a_step_holds_what_was_shown_beside_the_truth(tmp_path: Path) -> None:
    path = tmp_path / "ep-1.jsonl"
    write(path, BEGIN, step({"thought": "hm"}))

    _, line = read_transcript(path).lines[2]

    picture = {
        "channel": "RGB",
        "encoding": "RAW",
        "width": 1,
        "height": 1,
        "role": "CURRENT",
        "view": "",
        "sha256": sha256(b"rgb").hexdigest(),
    }
    assert {key: value for key, value in line.items() if key != "after"} == {
        "kind": "step",
        "index": 0,
        "epoch": 1,
        "action": {"skill": "open", "arguments": [["object", "Tür"]]},
        "trace": {"thought": "hm"},
        "shown": {"text": "a door", "images": [picture], "outcomes": [["REFUSED", ""]]},
        "truth": {
            "outcomes": [["PRECONDITION_FAILED", "It is locked."]],
            "status": "RUNNING",
            "steps_left": 8,
            "state_digest": "11" * 32,
        },
        "agent_seconds": 1.5,
        "environment_seconds": 0.002,
    }


def test_the_chain_is_the_one_that_is_documented(tmp_path: Path) -> None:
    path = tmp_path / "ep-1.jsonl"
    head = write(path, BEGIN, step(), CLOSE)

    expected = sha256(b"houseguest transcript v1\n").digest()
    for line in path.read_bytes().splitlines(keepends=True):
        assert canonical(parse(line)) + b"\n" == line
        assert parse(line)["after"] == expected.hex()
        expected = sha256(expected + line).digest()

    assert head == expected.hex() == read_transcript(path).head
    assert read_transcript(path).breaks == ()


def test_equal_exchanges_give_equal_heads_and_any_difference_another(tmp_path: Path) -> None:
    heads = [
        write(tmp_path / "1", BEGIN, step()),
        write(tmp_path / "2", BEGIN, step()),
        write(tmp_path / "3", BEGIN, step({"thought": ""})),
    ]

    assert heads[0] == heads[1] != heads[2]


def test_every_line_is_in_the_file_before_the_answer_goes_out(tmp_path: Path) -> None:
    transcript = Transcript(tmp_path / "ep-1.jsonl", HEADER)
    transcript.append(BEGIN)

    assert read_transcript(tmp_path / "ep-1.jsonl").head == transcript.head


@pytest.mark.parametrize("line", range(3))
def test_a_changed_line_is_found_by_the_next_one(tmp_path: Path, line: int) -> None:
    path = tmp_path / "ep-1.jsonl"
    head = write(path, BEGIN, step(), CLOSE)
    lines = path.read_bytes().splitlines(keepends=True)
    lines[line] = lines[line].replace(b'"kind"', b'"kimd"')
    path.write_bytes(b"".join(lines))

    text = read_transcript(path)

    assert text.head != head
    assert [number for number, _ in text.breaks] == [line + 1]


def test_a_line_that_was_taken_out_is_missed(tmp_path: Path) -> None:
    path = tmp_path / "ep-1.jsonl"
    write(path, BEGIN, step(), CLOSE)
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(lines[:2] + lines[3:]))

    assert [number for number, _ in read_transcript(path).breaks] == [2]


def test_an_agents_nonsense_does_not_stop_a_transcript(tmp_path: Path) -> None:
    usage = {"cost_usd": math.nan, "latency": math.inf}
    trace: dict[str, object] = {"thought": "\ud800", "usage": [usage]}
    path = tmp_path / "ep-1.jsonl"
    write(path, BEGIN, step(trace), CLOSE)

    lines = read_transcript(path).lines

    assert lines[2][1]["trace"] == {
        "thought": "?",
        "usage": [{"cost_usd": "nan", "latency": "inf"}],
    }
    assert lines[3][1]["result"]["metrics"] == {"distance": 2.0}


def test_a_transcript_is_never_written_over(tmp_path: Path) -> None:
    write(tmp_path / "ep-1.jsonl", BEGIN)

    with pytest.raises(FileExistsError):
        Transcript(tmp_path / "ep-1.jsonl", HEADER)
