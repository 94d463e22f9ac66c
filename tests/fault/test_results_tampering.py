"""Verification: a good run passes, and every change of it is found and placed."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from env_service.domain.observation import ImageEncoding
from env_service.results.frame_packer import pack_all
from env_service.results.transcript import read_transcript
from env_service.results.verification import verify
from env_service.results.verification_findings import Problem, VerificationReport
from env_service.storage.atomic_files import document
from env_service.storage.canonical_json import canonical, parse
from env_service.storage.signing_key import SigningKey
from tests.support.played_run import LAB, play_run

KEY = SigningKey.generate()
EPISODE = "transcripts/ep-lab-0-0.jsonl"


@pytest.fixture(scope="module")
def original(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return play_run(tmp_path_factory.mktemp("original"), KEY)[0]


@pytest.fixture
def run(original: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(original, tmp_path / "run"))


def places(report: VerificationReport) -> set[tuple[str, int | None]]:
    return {(problem.file, problem.line) for problem in report.problems}


def said(problems: tuple[Problem, ...]) -> str:
    return "\n".join(map(str, problems))


def rewrite(path: Path, number: int, change: Callable[[dict[str, Any]], object]) -> None:
    """Changes one line of a file of JSON lines, leaving its form."""
    lines = path.read_bytes().splitlines()
    value = parse(lines[number - 1])
    change(value)
    lines[number - 1] = canonical(value)
    path.write_bytes(b"".join(line + b"\n" for line in lines))


def forge(
    run: Path, number: int, change: Callable[[dict[str, Any]], object], key: SigningKey
) -> None:
    """Changes a line of the transcript as whoever holds the key could: the chain is made
    anew, and the record and the summary are signed again."""
    path = run / EPISODE
    rewrite(path, number, change)
    lines = [line for _, line in read_transcript(path).lines]
    path.write_bytes(b"")
    for line in lines:
        head = read_transcript(path).head
        with path.open("ab") as file:
            file.write(canonical({**line, "after": head}) + b"\n")
    head = read_transcript(path).head
    resign(run, lambda record: record.update(transcript_head=head), key)


def resign(run: Path, change: Callable[[dict[str, Any]], object], key: SigningKey) -> None:
    path = run / "episodes.jsonl"
    lines = path.read_bytes().splitlines(keepends=True)
    record = parse(lines[0])
    change(record)
    del record["signature"]
    path.write_bytes(canonical(key.sign(record)) + b"\n" + b"".join(lines[1:]))


@pytest.mark.parametrize("encoding", [ImageEncoding.RAW, ImageEncoding.PNG])
def test_a_good_run_passes(tmp_path: Path, encoding: ImageEncoding) -> None:
    run, _ = play_run(tmp_path, KEY, encoding)
    seen: list[tuple[int, int]] = []

    report = verify(
        run,
        suite=LAB,
        public_key=KEY.public_hex,
        progress=lambda done, total: seen.append((done, total)),
    )

    assert report.problems == ()
    assert (report.episodes, report.exchanges, report.frames, report.replayed) == (4, 20, 16, 4)
    assert seen == [(1, 4), (2, 4), (3, 4), (4, 4)]


def test_a_packed_run_passes(run: Path) -> None:
    assert pack_all(run / "frames") == 16

    assert verify(run, suite=LAB).problems == ()


@settings(
    max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(st.data())
def test_one_changed_byte_anywhere_is_found_in_its_file(
    original: Path, data: st.DataObject
) -> None:
    names = sorted(
        str(path.relative_to(original))
        for path in original.rglob("*")
        if path.is_file() and path.name != ".lock"
    )
    name = data.draw(st.sampled_from(names))
    path = original / name
    good = path.read_bytes()
    place = data.draw(st.integers(0, len(good) - 1))
    changed = bytearray(good)
    changed[place] ^= data.draw(st.sampled_from([1, 2, 4, 32, 128]))
    try:
        path.write_bytes(bytes(changed))
        report = verify(original, replay=False, public_key=KEY.public_hex)
    finally:
        path.write_bytes(good)

    assert not report.good
    assert path.stem in said(report.problems)


@pytest.mark.parametrize("line", range(1, 7))
def test_a_changed_line_of_a_transcript_is_named(run: Path, line: int) -> None:
    rewrite(run / EPISODE, line, lambda value: value.update(extra=1))

    assert (EPISODE, line) in places(verify(run, replay=False))


def test_every_problem_is_reported_not_the_first_alone(run: Path) -> None:
    rewrite(run / EPISODE, 3, lambda value: value.update(agent_seconds=0.0))
    rewrite(run / "episodes.jsonl", 2, lambda value: value.update(steps=1))
    rewrite(run / "voids.jsonl", 1, lambda value: value.update(collateral=True))
    (run / "transcripts" / "ep-lab-3-0.jsonl").unlink()
    next((run / "frames").glob("raw/*.ppm")).unlink()

    found = places(verify(run, replay=False))

    assert {
        (EPISODE, 3),
        ("episodes.jsonl", 2),
        ("voids.jsonl", 1),
        ("episodes.jsonl", 4),
        ("summary.json", None),
    } <= found
    assert any(file.startswith("transcripts/") and file != EPISODE for file, _ in found)


def test_an_episode_counted_twice_is_found(run: Path) -> None:
    path = run / "episodes.jsonl"
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join([*lines, lines[0]]))

    report = verify(run, replay=False)

    assert "episodes.jsonl, line 5: task 'lab/0', repeat 0 is counted twice" in said(
        report.problems
    )


def test_a_failure_left_out_shows_in_the_summary(run: Path) -> None:
    path = run / "episodes.jsonl"
    path.write_bytes(b"".join(path.read_bytes().splitlines(keepends=True)[:3]))

    report = verify(run, replay=False)

    assert {problem.file for problem in report.problems} == {"summary.json"}
    assert "Not finished: 1 of 4 episodes." in report.notes


def test_a_run_signed_anew_with_another_key_is_not_the_trusted_ones(tmp_path: Path) -> None:
    run, _ = play_run(tmp_path, SigningKey.generate())

    assert verify(run, replay=False).good
    report = verify(run, replay=False, public_key=KEY.public_hex)
    assert {("manifest.json", None), ("episodes.jsonl", 1), ("summary.json", None)} <= places(
        report
    )


def test_a_line_of_another_run_is_found(run: Path, tmp_path: Path) -> None:
    value = json.loads((run / "manifest.json").read_text())
    del value["signature"]
    (run / "manifest.json").write_bytes(document(KEY.sign({**value, "run_id": "run-9"})))

    assert ("episodes.jsonl", 1) in places(verify(run, replay=False))


def test_an_interrupted_run_says_how_to_go_on(run: Path) -> None:
    path = run / "episodes.jsonl"
    path.write_bytes(path.read_bytes()[:-100])
    (run / "summary.json").unlink()

    report = verify(run, suite=LAB)

    assert places(report) == {("episodes.jsonl", 4)}
    assert "repeat the same command" in said(report.problems)
    assert any("has not ended" in note for note in report.notes)


def claim_success(line: dict[str, Any]) -> None:
    line["action"] = {"skill": "noop", "arguments": []}


FORGERIES: list[tuple[str, int, Callable[[dict[str, Any]], object], str]] = [
    ("another seed", 1, lambda line: line["order"].update(seed=1), "seed is 1"),
    (
        "an easier task",
        1,
        lambda line: line["order"]["task"]["data"].update(answer="1"),
        "differs from the suite's",
    ),
    (
        "another condition",
        1,
        lambda line: line["order"]["condition"].update(feedback="detailed"),
        "condition is",
    ),
    (
        "pictures not on offer",
        1,
        lambda line: line["order"]["request"]["images"][0].update(channel="DEPTH"),
        "are not offered",
    ),
    (
        "an instruction",
        2,
        lambda line: line["truth"].update(instruction="Rest."),
        'truth.instruction: recorded "Rest.", replayed "Win."',
    ),
    (
        "a limit told",
        2,
        lambda line: line["shown"]["told"].update(max_steps=99),
        "max_steps shown to the agent: recorded 99, replayed 20",
    ),
    (
        "an outcome",
        4,
        lambda line: line["truth"].update(outcomes=[["SUCCEEDED", ""]]),
        "truth.outcomes",
    ),
    (
        "more told than allowed",
        4,
        lambda line: line["shown"].update(outcomes=[["PHYSICALLY_BLOCKED", "a wall"]]),
        "outcomes shown to the agent",
    ),
    ("a text shown", 4, lambda line: line["shown"].update(text="Key is left."), "text: recorded"),
    (
        "a picture shown",
        4,
        lambda line: line["shown"]["images"][0].update(sha256="ab" * 32),
        "pixels' SHA-256",
    ),
    ("no picture", 4, lambda line: line["shown"].update(images=[]), "pictures shown: 0"),
    ("a state", 4, lambda line: line["truth"].update(state_digest="ab" * 32), "state_digest"),
    ("the winning action", 5, claim_success, "result.success: recorded true, replayed false"),
    (
        "an action too many",
        3,
        lambda line: line.update(action={"skill": "win", "arguments": []}),
        "recorded after the end of the episode",
    ),
    ("nonsense", 4, lambda line: line.update(action=7), "cannot be replayed"),
]


@pytest.mark.parametrize(
    ("number", "change", "expected"),
    [pytest.param(*rest, id=name) for name, *rest in FORGERIES],
)
def test_replay_finds_what_a_forger_with_the_key_changed(
    run: Path, number: int, change: Callable[[dict[str, Any]], object], expected: str
) -> None:
    forge(run, number, change, KEY)

    report = verify(run, suite=LAB, public_key=KEY.public_hex)

    assert expected in said(report.problems)
    assert {problem.file for problem in report.problems} == {EPISODE}


def test_a_record_that_says_more_than_its_transcript_is_found(run: Path) -> None:
    path = run / "episodes.jsonl"
    lines = path.read_bytes().splitlines(keepends=True)
    record = parse(lines[3])
    del record["signature"]
    record.update(success=True, failure=None, goal_conditions=[["won", True]])
    path.write_bytes(b"".join(lines[:3]) + canonical(KEY.sign(record)) + b"\n")

    found = said(verify(run, replay=False).problems)

    assert "ep-lab-3-0.jsonl, line 6: success is False, but should be True" in found


def test_a_suite_is_not_loaded_because_a_manifest_says_so(run: Path) -> None:
    report = verify(run)

    assert report.replayed == 0
    assert "is not built in, so nothing was replayed" in said(report.problems)


def test_other_rules_are_not_replayed(run: Path) -> None:
    value = json.loads((run / "manifest.json").read_text())
    del value["signature"]
    (run / "manifest.json").write_bytes(document(KEY.sign({**value, "suite_version": "0"})))

    report = verify(run, suite=LAB)

    assert report.replayed == 0
    assert "the run used rules '0', but '1' are installed" in said(report.problems)


def test_a_folder_that_is_no_run_is_said_to_be_none(tmp_path: Path) -> None:
    assert "check that this is a run's folder" in said(verify(tmp_path).problems)


@pytest.mark.parametrize("text", ["[]", "{}", "7", "{", '{"schema_version": 2}'])
def test_a_manifest_of_another_shape_is_reported(tmp_path: Path, text: str) -> None:
    (tmp_path / "manifest.json").write_text(text)

    assert places(verify(tmp_path)) == {("manifest.json", None)}
