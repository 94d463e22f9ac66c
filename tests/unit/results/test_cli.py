"""``houseguest show`` and ``houseguest verify`` as an operator meets them."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from env_service.cli.main import run as houseguest
from env_service.cli.show import show_command
from env_service.cli.verify import verify_command
from env_service.results.records import VoidRecord
from env_service.results.run_reader import RunContents, read_run
from env_service.storage.signing_key import SigningKey
from tests.support.lab import LabSuite
from tests.support.made_run import made_text, write_run
from tests.support.played_run import LAB, play_run

KEY = SigningKey.generate()


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("runs")
    play_run(root, KEY)
    return root


@pytest.fixture(scope="module")
def run(runs: Path) -> Path:
    return next(runs.iterdir())


def show(*arguments: object) -> Result:
    return CliRunner().invoke(show_command, [str(argument) for argument in arguments])


def verify(*arguments: object) -> Result:
    return CliRunner().invoke(verify_command, [str(argument) for argument in arguments])


def test_a_scoreboard_says_what_a_run_came_to(run: Path) -> None:
    result = show(run)

    assert result.exit_code == 0
    for words in (
        "agent Scripted/1.0",
        "2 of 4   50.0 %   95 % interval 15.0 – 85.0",
        "group-1   1   100.0 %",
        "goal_not_reached                    2",
        "scripted                           1",
        str(run),
    ):
        assert words in result.output


def test_a_long_path_is_printed_whole(run: Path, tmp_path: Path) -> None:
    folder = tmp_path / ("a-long-name-" * 10) / run.name
    shutil.copytree(run, folder)

    assert str(folder) in show(folder).output.splitlines()


def test_failures_include_what_the_service_lost_with_the_last_fault(tmp_path: Path) -> None:
    base = made_text(tasks=3)
    detail = 'Traceback (most recent call last):\n  File "suite.py", line 45, in act\nKeyError: 1\n'
    voids = tuple(
        VoidRecord(
            episode_id=f"ep-void-{attempt}",
            task_id=base.episodes[0].task_id,
            repeat=0,
            attempt=attempt,
            fault="service_fault",
            detail=detail,
            collateral=False,
            session="s",
            guest="g",
        )
        for attempt in (1, 2, 3)
    )
    run = write_run(tmp_path, replace(base, episodes=base.episodes[1:], voids=voids))

    lines = show(run, "--failures").output.splitlines()

    told = lines.index(
        f"{base.episodes[0].task_id}: unscored, service_fault in 3 attempts; the last one:"
    )
    assert lines[told + 1 : told + 4] == [f"  | {line}" for line in detail.splitlines()]
    assert f"All faults: {run}/voids.jsonl" in lines


def test_failures_are_listed_with_their_transcripts(run: Path) -> None:
    result = show(run, "--failures")

    row = next(line for line in result.output.splitlines() if line.split()[:1] == ["lab/2"])
    told = ["lab/2", "0", "goal_not_reached", "0.0", "%", "0/1", "3", "ep-lab-2-0"]
    assert row.split() == told
    assert "ep-lab-0-0" not in result.output
    assert f"{run}/transcripts/EPISODE.jsonl" in result.output


def test_failures_tell_what_happened(run: Path) -> None:
    told = show(run, "--failures").output.partition("lab/2: goal_not_reached after 3 steps")[2]
    for words in ("  task: ", "  not met: ", "  last actions:\n    1. noop → SUCCEEDED"):
        assert words in told
    (first, *_) = json.loads(show(run, "--failures", "--json").output)["episodes"]
    assert first["happened"]["actions"][0].startswith("1. ")
    assert first["happened"]["open_goals"]


def test_several_runs_and_folders_are_taken_alike(runs: Path, run: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    shutil.copytree(run, other)
    for command, *more in ((show,), (verify, "--suite", LAB)):
        result = command(runs, other, "--json", *more)
        assert result.exit_code == 0
        assert len(json.loads(result.output)) == 2
    assert len(json.loads(show(run, run, "--json").output)) == 1
    told = show(runs, other, "--failures").output
    assert told.count("Every exchange: ") == 2
    (other / "episodes.jsonl").unlink()
    result = verify(runs, other, "--suite", LAB)
    assert result.exit_code == 1
    assert "✗ 1 of 2 runs" in result.output
    assert verify(tmp_path / "other" / "logs").exit_code == 2


def test_a_failure_that_the_suite_explains_is_explained(
    run: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def explained(path: Path) -> RunContents:
        whole = read_run(path)
        labels = {"explanation": "Step 2 cannot work: the hand is full."}
        told = [replace(each, labels=labels, task_id=50 * "t") for each in whole.episodes[-1:]]
        return replace(whole, episodes=told)

    monkeypatch.setattr("env_service.cli.show.read_run", explained)
    result = show(run, "--failures")

    assert "  why: Step 2 cannot work: the hand is full.\n" in result.output
    lines = result.output.splitlines()
    row = next(line for line in lines if "goal_not_reached" in line and "0/1" in line)
    assert row.split()[0] == 50 * "t"


def test_the_heading_of_a_run_names_each_of_its_parts(run: Path) -> None:
    heading = show(run).output.partition("\n\n")[0].splitlines()
    assert heading[0] == f"{LAB}, rules version {LabSuite.version} · task set lab"
    assert (heading[1], heading[-1]) == ("world light", "agent Scripted/1.0")
    assert heading[2].startswith("settings ")


def test_every_run_of_a_folder_has_a_line(runs: Path, run: Path) -> None:
    result = show(runs)

    assert result.exit_code == 0
    line = next(line for line in result.output.splitlines() if run.name in line)
    assert line.split() == [run.name, "4/4", "50.0", "%", "15.0", "–", "85.0", "50.0", "%", "lab"]


def test_json_is_for_programs(runs: Path, run: Path) -> None:
    one = json.loads(show(run, "--json", "--episodes").output)

    assert one["summary"]["overall"]["successes"] == 2
    assert [episode["task_id"] for episode in one["episodes"]] == [
        f"lab/{number}" for number in range(4)
    ]
    assert json.loads(show(runs, "--json").output)[0]["manifest"]["seed"] == 7


def test_a_run_that_is_still_being_played_can_be_shown(run: Path, tmp_path: Path) -> None:
    half = Path(shutil.copytree(run, tmp_path / "half"))
    (half / "summary.json").unlink()
    path = half / "episodes.jsonl"
    path.write_bytes(path.read_bytes()[:-30])

    result = show(half)

    assert "2 of 3" in result.output
    assert "3 of 4 scored, 0 unscored, 1 not played" in result.output


def test_no_runs_and_no_folder_are_said(tmp_path: Path) -> None:
    assert "No runs in" in show(tmp_path).output
    assert show(tmp_path / "absent").exit_code == 2
    assert show(tmp_path, "--failures").exit_code == 2


def test_a_terminal_is_safe_from_what_a_run_says(run: Path, tmp_path: Path) -> None:
    copy = Path(shutil.copytree(run, tmp_path / "copy"))
    path = copy / "manifest.json"
    path.write_text(path.read_text().replace("Scripted/1.0", "\\u001b[2J[red]gone[/red]"))

    output = show(copy).output

    assert "\x1b[2J" not in output
    assert "[red]gone[/red]" in output


def test_one_episode_is_checked_and_replayed(run: Path, tmp_path: Path) -> None:
    copy = tmp_path / run.name
    shutil.copytree(run, copy)
    first, second, *_ = [each.episode_id for each in read_run(copy).episodes]
    transcript = copy / "transcripts" / f"{second}.jsonl"
    transcript.write_text(transcript.read_text().replace("noop", "none"))

    good = verify(copy, "--suite", LAB, "--episode", first)
    assert good.exit_code == 0, good.output
    assert "✓ 1 episode," in good.output
    assert "1 episode replayed" in good.output
    assert f"Only episode {first} was checked: 3 other transcripts" in good.output
    bad = verify(copy, "--suite", LAB, "--episode", second)
    assert bad.exit_code == 1
    assert f"transcripts/{second}.jsonl" in bad.output


def test_an_episode_that_the_run_does_not_have_is_named(runs: Path, run: Path) -> None:
    known = read_run(run).episodes[0].episode_id
    result = verify(run, "--suite", LAB, "--episode", f"{known}x")
    assert result.exit_code == 2
    assert f"Did you mean {known!r}?" in result.output
    several = verify(runs / run.name, run, runs, "--episode", known)
    assert several.exit_code == 2
    assert "--episode needs one run's folder" in several.output


def test_verify_ends_with_0_when_all_is_well(run: Path) -> None:
    result = verify(run, "--suite", LAB, "--key", KEY.public_hex.upper())

    assert result.exit_code == 0
    assert "✓ 4 episodes, 20 exchanges, 16 pictures checked; 4 episodes replayed" in result.output


def test_verify_ends_with_1_and_names_the_place(run: Path, tmp_path: Path) -> None:
    copy = Path(shutil.copytree(run, tmp_path / "copy"))
    path = copy / "episodes.jsonl"
    path.write_bytes(path.read_bytes().replace(b'"steps":3', b'"steps":2', 1))

    plain, machine = verify(copy, "--no-replay"), verify(copy, "--no-replay", "--json")

    assert (plain.exit_code, machine.exit_code) == (1, 1)
    assert "episodes.jsonl, line 1: the signature does not match" in plain.output
    report = json.loads(machine.output)
    assert not report["good"]
    assert {"episodes.jsonl", "summary.json"} <= {item["file"] for item in report["problems"]}


@pytest.mark.parametrize(
    "arguments", [["--key", "beef"], ["--suite", "tests.support.lab:Nothing"], ["--suite", "babya"]]
)
def test_verify_ends_with_2_on_wrong_usage(run: Path, arguments: list[str]) -> None:
    assert verify(run, *arguments).exit_code == 2


@pytest.mark.parametrize("command", [show_command, verify_command])
def test_help_has_examples(command: object) -> None:
    assert "Examples:" in CliRunner().invoke(command, ["--help"]).output  # type: ignore[arg-type]


def test_a_run_that_cannot_be_read_does_not_hide_the_others(
    runs: Path, run: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    root = Path(shutil.copytree(runs, tmp_path / "runs"))
    broken = Path(shutil.copytree(run, root / "broken"))
    (broken / "manifest.json").write_text("{")

    assert houseguest(["show", str(root)]) == 1
    shown = capsys.readouterr()
    assert run.name in shown.out
    assert f"Not shown: {broken / 'manifest.json'}" in shown.err
    assert houseguest(["show", str(root), "--json"]) == 1
    assert len(json.loads(capsys.readouterr().out)) == 1


def test_long_names_push_no_number_away(run: Path, tmp_path: Path) -> None:
    name = "babyai-" + "a-very-long-name-" * 8
    shutil.copytree(run, tmp_path / name)

    line = next(line for line in show(tmp_path).output.splitlines() if name in line)
    assert line.split()[1:] == ["4/4", "50.0", "%", "15.0", "–", "85.0", "50.0", "%", "lab"]
