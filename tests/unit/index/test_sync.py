"""The index never disagrees with the run folders, whatever happened to them since the last time."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from env_service.domain.usage import Usage
from env_service.index import journals, run_digest, sync
from env_service.index.episode_queries import EpisodeFilter, Outcome
from env_service.index.run_queries import RunRow
from env_service.index.store import FILE, Index
from env_service.results.posthoc_scores import (
    PosthocScore,
    PosthocScores,
    write_posthoc_scores,
)
from env_service.results.records import EpisodeRecord
from env_service.results.run_folder import RunFolder
from env_service.results.run_reader import find_runs, read_run
from env_service.storage.canonical_json import canonical, parse
from env_service.storage.signing_key import SigningKey
from tests.support.indexed import assert_current, new_index, rows_of
from tests.support.lab import default_condition
from tests.support.made_run import USED, made_record, made_text, write_run
from tests.support.played_run import LOSING, WINNING, Player, lab_manifest, play_run

PLAIN = default_condition()


@pytest.fixture(scope="module")
def key() -> SigningKey:
    return SigningKey.generate()


@pytest.fixture
def runs(tmp_path: Path) -> Path:
    folder = tmp_path / "runs"
    folder.mkdir()
    return folder


@pytest.fixture
def index(runs: Path) -> Iterator[Index]:
    with new_index(runs, runs / FILE) as opened:
        yield opened


@contextmanager
def playing(root: Path, key: SigningKey, **changes: object) -> Iterator[Player]:
    """A run that is being played."""
    manifest = replace(lab_manifest(tasks=8, condition=PLAIN), **changes)  # type: ignore[arg-type]
    folder = RunFolder.open(root, manifest, key)
    try:
        yield Player(folder)
    finally:
        folder.close()


def only(index: Index) -> RunRow:
    with index.read() as read:
        (run,) = read.runs().rows
    return run


def edit(path: Path, change: Callable[[list[bytes]], list[bytes]]) -> None:
    """Changes the lines of a file in place."""
    path.write_bytes(b"".join(change(path.read_bytes().splitlines(keepends=True))))


def test_a_run_has_the_numbers_of_its_summary(runs: Path, index: Index, key: SigningKey) -> None:
    path, summary = play_run(runs, key)
    report = index.sync()

    assert (report.new, report.episodes, report.steps) == ((path.name,), 4, 12)
    run = only(index)
    overall = summary.overall
    assert (run.scored, run.successes, run.rate) == (overall.n, overall.successes, overall.rate)
    assert (run.low, run.high) == (overall.low, overall.high)
    assert (run.goals_gained, run.goals_met) == (overall.goals_gained, overall.goal_conditions)
    assert (run.agent_seconds, run.status) == (summary.agent_seconds, "complete")
    assert run.uncounted_tokens == summary.uncounted_usage.tokens == 100
    assert run.uncounted_cost_usd == summary.uncounted_usage.cost_usd
    assert (run.voids, run.uncounted, run.planned, run.agent_name) == (1, 1, 4, "scripted")
    with index.read() as read:
        assert {g.name: g.scored for g in read.groups(path.name)} == {
            name: rate.n for name, rate in summary.groups.items()
        }
        assert read.failures(path.name) == summary.failures
        assert [lost.cause for lost in read.lost(path.name)] == ["simulator_crash", "withdrawn"]


def test_steps_have_their_pictures_and_outcomes(runs: Path, index: Index, key: SigningKey) -> None:
    path, _ = play_run(runs, key)
    index.sync()
    record = read_run(path).episodes[0]
    lines = (path / "transcripts" / f"{record.episode_id}.jsonl").read_text().splitlines()
    shown = [json.loads(line)["shown"]["images"][0]["sha256"] for line in lines[1:-1]]
    with index.read() as read:
        found = read.episode(path.name, record.episode_id)
    assert found is not None
    assert [step.frame_before for step in found.steps] == shown[:-1]
    assert [step.frame_after for step in found.steps] == shown[1:]
    assert [step.action for step in found.steps] == ["noop", "refuse(PHYSICALLY_BLOCKED)", "win"]
    assert [step.outcome for step in found.steps] == [
        "SUCCEEDED",
        "PHYSICALLY_BLOCKED",
        "SUCCEEDED",
    ]
    assert (found.episode.first_frame, found.episode.last_frame) == (shown[0], shown[-1])
    assert [step.kind for step in found.steps] == ["skill", "skill", "text"]
    assert found.goal_conditions[0].met


def test_nothing_is_opened_while_nothing_changes(
    runs: Path, index: Index, key: SigningKey, monkeypatch: pytest.MonkeyPatch
) -> None:
    play_run(runs, key)
    index.sync()
    monkeypatch.setattr(journals, "open_plain", None)
    monkeypatch.setattr(run_digest, "open_plain", None)
    monkeypatch.setattr(sync, "read_plain", None)
    report = index.sync()
    assert not report
    assert report.runs == 1


def test_a_run_in_progress_grows(runs: Path, index: Index, key: SigningKey) -> None:
    with playing(runs, key) as player:
        assert index.sync().new
        assert only(index).status == "running"
        for number in range(3):
            player.play(f"lab/{number}", 0, WINNING if number else LOSING)
            player.void(f"lab/{number + 3}")
            report = index.sync()
            assert (len(report.changed), report.episodes) == (1, 1)
            assert_current(index)
    assert index.sync().changed
    assert only(index).status == "stopped"
    with playing(runs, key) as player:
        player.withdraw("lab/3")
        for number in range(3, 8):
            player.play(f"lab/{number}", 0, WINNING)
    assert_current(index)
    assert only(index).status == "complete"


def test_a_killed_run_is_taken_up(runs: Path, index: Index, key: SigningKey) -> None:
    with playing(runs, key) as player:
        player.play("lab/0", 0, WINNING)
        index.sync()
        kept = player.folder.path / "transcripts" / "ep-lab-0-0.jsonl"
        shutil.copy(kept, kept.with_name("ep-killed.jsonl"))
    with playing(runs, key) as player:
        assert player.folder.uncounted()
        player.play("lab/1", 0, LOSING)
    assert_current(index)
    assert only(index).uncounted == 1


@pytest.mark.parametrize("lines", [1, 3])
def test_long_journals_are_read_in_parts(
    runs: Path, index: Index, key: SigningKey, monkeypatch: pytest.MonkeyPatch, lines: int
) -> None:
    with playing(runs, key) as player:
        for number in range(5):
            player.void(f"lab/{number}")
            player.play(f"lab/{number}", 0, WINNING if number % 2 else LOSING)
    whole = built = None
    index.sync()
    whole = rows_of(index)
    monkeypatch.setattr(journals, "_CHUNK_LINES", lines)
    monkeypatch.setattr(sync, "_CHUNK_STEPS", 4)
    with new_index(runs, runs.parent / "other.sqlite3") as other:
        other.sync()
        built = rows_of(other)
    assert built == whole


def test_a_half_written_line_waits_for_its_end(runs: Path, index: Index, key: SigningKey) -> None:
    with playing(runs, key) as player:
        player.play("lab/0", 0, WINNING)
        player.play("lab/1", 0, WINNING)
        path = player.folder.path / "episodes.jsonl"
    whole = path.read_bytes()
    path.write_bytes(whole[:-20])
    index.sync()
    assert (only(index).scored, only(index).problem) == (1, "")
    with path.open("ab") as file:
        file.write(whole[-20:])
    assert index.sync().episodes == 1
    assert_current(index)
    assert only(index).scored == 2


def test_a_corrupt_line_is_named_and_mended(runs: Path, index: Index, key: SigningKey) -> None:
    with playing(runs, key) as player:
        for number in range(3):
            player.play(f"lab/{number}", 0, WINNING)
        path = player.folder.path / "episodes.jsonl"
    good = path.read_bytes()
    edit(path, lambda lines: [lines[0], lines[1][:30] + b"\n", lines[2]])
    report = index.sync()
    ((name, problem),) = report.problems
    assert name == path.parent.name
    assert problem.startswith("episodes.jsonl, line 2: ")
    assert (only(index).status, only(index).scored) == ("unreadable", 1)
    assert_current(index)
    assert index.sync().problems == report.problems

    path.write_bytes(good)
    assert index.sync().problems == ()
    assert_current(index)
    assert only(index).scored == 3


def test_an_episode_that_was_scored_twice_is_a_problem(
    runs: Path, index: Index, key: SigningKey
) -> None:
    with playing(runs, key) as player:
        player.play("lab/0", 0, WINNING)
        path = player.folder.path / "episodes.jsonl"
    index.sync()
    edit(path, lambda lines: [*lines, lines[0]])
    ((_, problem),) = index.sync().problems
    assert "repeat 0 of task 'lab/0' was scored further up" in problem
    assert_current(index)


@pytest.mark.parametrize("again", ["replaced", "shortened", "changed", "removed"])
def test_a_journal_that_is_another_one_is_read_anew(
    runs: Path, index: Index, key: SigningKey, again: str
) -> None:
    with playing(runs, key) as player:
        for number in range(3):
            player.play(f"lab/{number}", 0, WINNING)
        path = player.folder.path / "episodes.jsonl"
    index.sync()
    if again == "replaced":
        shutil.copy(path, path.with_name("copy"))
        path.with_name("copy").rename(path)
        edit(path, lambda lines: lines[1:])
    elif again == "shortened":
        edit(path, lambda lines: lines[:1])
    elif again == "changed":
        edit(path, lambda lines: [lines[0].replace(b"lab/0", b"lab/9"), *lines[1:]])
    else:
        path.unlink()
    report = index.sync()
    assert len(report.changed) == 1
    assert_current(index)


def test_a_replaced_run_is_read_anew(runs: Path, index: Index, key: SigningKey) -> None:
    for won in (WINNING, LOSING):
        with playing(runs, key, run_id=f"run-{len(won[0].name)}") as player:  # type: ignore[union-attr]
            player.play("lab/0", 0, won)
            path = player.folder.path
        index.sync()
        assert only(index).successes == (won is WINNING)
        shutil.rmtree(path)
    assert_current(index)
    with index.read() as read:
        assert read.runs().total == 0


def test_a_vanished_run_goes_with_all_its_rows(runs: Path, index: Index, key: SigningKey) -> None:
    path, _ = play_run(runs, key)
    write_run(runs, made_text("other", tasks=3))
    index.sync()
    shutil.rmtree(path)
    assert index.sync().vanished == (path.name,)
    assert_current(index)
    assert [run for run, *_ in rows_of(index)["runs"]] == [("run", "other")]


def test_a_run_that_vanishes_while_it_is_read(
    runs: Path, index: Index, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write_run(runs, made_text("going", tasks=2))
    write_run(runs, made_text("staying", tasks=2))
    real = sync._list_runs

    def listed(folder: Path) -> object:
        found = real(folder)
        shutil.rmtree(path, ignore_errors=True)
        return found

    monkeypatch.setattr(sync, "_list_runs", listed)
    assert index.sync().new == ("staying",)
    assert only(index).path == "staying"


def _pipe(path: Path) -> None:
    path.unlink()
    os.mkfifo(path)


def _link(path: Path) -> None:
    path.rename(path.with_name("aside"))
    path.symlink_to(path.with_name("aside"))


def _folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


def _noise(path: Path) -> None:
    path.write_bytes(b"\xff\x00 not JSON\n" * 3)


@pytest.mark.parametrize("harm", [_pipe, _link, _folder, _noise])
@pytest.mark.parametrize("name", ["manifest.json", "episodes.jsonl"])
def test_a_strange_file_is_the_problem_of_its_run(
    runs: Path, index: Index, key: SigningKey, harm: Callable[[Path], None], name: str
) -> None:
    with playing(runs, key) as player:
        player.void("lab/0")
        player.play("lab/0", 0, WINNING)
        path = player.folder.path
    write_run(runs, made_text("other", tasks=3))
    for known in (False, True):
        if known:
            index.sync()
        shutil.copytree(path, runs.parent / "aside", dirs_exist_ok=True)
        harm(path / name)
        problems = index.sync().problems
        assert [run for run, _ in problems] == [path.name]
        assert problems[0][1].startswith(name)
        assert_current(index)
        shutil.rmtree(path)
        (runs.parent / "aside").rename(path)
    assert index.sync().problems == ()
    assert_current(index)


def test_a_linked_run_is_not_followed(runs: Path, index: Index, tmp_path: Path) -> None:
    outside = write_run(tmp_path / "elsewhere", made_text("run", tasks=2))
    (runs / "linked").symlink_to(outside)
    (runs / "linked-again").symlink_to(outside)
    assert [run for run, _ in index.sync().problems] == ["linked", "linked-again"]
    assert not index.sync()
    (runs / "linked").unlink()
    shutil.copytree(outside, runs / "linked")
    assert [run for run, _ in index.sync().problems] == ["linked-again"]
    assert_current(index)


def test_a_name_that_is_no_text_is_named(runs: Path, index: Index) -> None:
    path = write_run(runs, made_text("run", tasks=2))
    path.rename(os.fsdecode(os.fsencode(runs) + b"/run-\xff"))
    ((name, problem),) = index.sync().problems
    assert name == "run-?"
    assert "rename" in problem


def test_a_transcript_that_comes_later_is_read(runs: Path, index: Index, key: SigningKey) -> None:
    with playing(runs, key) as player:
        record = player.play("lab/0", 0, WINNING)
        player.play("lab/1", 0, WINNING)
        path = player.folder.path
    transcript = path / "transcripts" / f"{record.episode_id}.jsonl"
    aside = transcript.rename(path.parent.parent / "aside")
    ((name, note),) = index.sync().notes
    assert name == path.name
    assert note.startswith(f"1 episode without all steps; {record.episode_id}: ")
    assert only(index).without_steps == 1
    aside.rename(transcript)
    assert index.sync().notes == ()
    assert_current(index)
    edit(transcript, lambda lines: [*lines[:-1], lines[-1].replace(b"over", b"ever")])
    with new_index(runs, runs.parent / "other.sqlite3") as other:
        assert "not the one that the episode's record names" in other.sync().notes[0][1]


def test_hostile_texts_are_kept_as_data(runs: Path, index: Index) -> None:
    nasty = "<script>alert(1)</script>\0\x1b[31m" + "x" * 5000
    text = made_text("run", tasks=2, agent=nasty, declared=({"agent_name": nasty, "model": 7},))
    records = [
        made_record(0, success=True, labels={"explanation": nasty}, usage=USED),
        made_record(1, success=False, guest=nasty),
    ]
    path = write_run(runs, text, records)
    lines = canonical({"kind": "begin", "truth": {"instruction": nasty}}) + b"\n"
    lines += b'{"kind":"step","action":{"text":"\\ud800"},"truth":{"outcomes":[["\\u0000",7]]}}\n'
    lines += b'{"kind":"step","action":{"skill":7,"arguments":5},"agent_seconds":1e999}\n'
    (path / "transcripts").mkdir()
    (path / "transcripts" / "ep-0-0.jsonl").write_bytes(lines)
    index.sync()
    assert_current(index)
    with index.read() as read:
        found = read.episode("run", "ep-0-0")
        assert read.run("run") is not None
    assert found is not None
    assert found.labels["explanation"].startswith(
        "<script>alert(1)</script>\N{REPLACEMENT CHARACTER}"
    )
    assert len(found.labels["explanation"]) == 2000
    assert [step.action for step in found.steps] == ["?", "?"]


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"task_id": "x" * 600}, "longer than 512"),
        ({"steps": 2**70}, "larger than"),
        ({"labels": {"a\0b": "1"}}, "zero byte"),
        ({"episode_id": "../../etc/passwd"}, "cannot be an episode's id"),
    ],
)
def test_a_record_that_no_database_can_hold_is_a_problem(
    runs: Path, index: Index, change: dict[str, object], problem: str
) -> None:
    path = write_run(runs, made_text("run", tasks=3))
    edit(
        path / "episodes.jsonl",
        lambda lines: [lines[0], canonical(parse(lines[1]) | change) + b"\n", lines[2]],
    )
    ((_, found),) = index.sync().problems
    assert found.startswith("episodes.jsonl, line 2: ")
    assert problem in found
    assert only(index).scored == 1
    assert_current(index)


def test_episodes_without_a_score_count_in_no_rate(runs: Path, index: Index) -> None:
    lost = made_record(1, success=False, fault="simulator_crash", usage=USED)
    write_run(runs, made_text("run", tasks=3), [made_record(0, success=True), lost])
    index.sync()
    run = only(index)
    assert (run.final, run.scored, run.rate, run.status) == (2, 1, 1.0, "stopped")
    assert run.uncounted_tokens == USED.tokens
    with index.read() as read:
        outcomes = {
            outcome: read.episodes(EpisodeFilter(outcomes=[outcome])).total for outcome in Outcome
        }
    assert outcomes == {Outcome.SUCCESS: 1, Outcome.FAILURE: 0, Outcome.UNSCORED: 1}


def test_the_index_is_no_run_and_moves_with_its_folder(runs: Path, tmp_path: Path) -> None:
    write_run(runs, made_text("run", tasks=3))
    with Index.open(runs) as index:
        index.sync()
    assert (runs / FILE).exists()
    assert [path.name for path in find_runs(runs)] == ["run"]
    moved = runs.rename(tmp_path / "moved")
    with Index.open(moved) as index:
        assert not index.sync()


OPERATIONS = st.lists(
    st.tuples(
        st.sampled_from(["append", "void", "torn", "remove", "corrupt", "swap", "manifest"]),
        st.integers(0, 1),
        st.booleans(),
    ),
    max_size=12,
)


@settings(max_examples=12)
@given(OPERATIONS)
def test_any_history_ends_as_a_new_index(
    tmp_path_factory: pytest.TempPathFactory, operations: list[tuple[str, int, bool]]
) -> None:
    runs = tmp_path_factory.mktemp("runs")
    with new_index(runs, runs / FILE) as index:
        index.sync()
        for number, (operation, run, looked) in enumerate(operations):
            _operate(runs / f"run-{run}", operation, number)
            if looked:
                index.sync()
        assert_current(index)


def _operate(path: Path, operation: str, number: int) -> None:
    journal = path / "episodes.jsonl"
    if not path.exists():
        write_run(path.parent, made_text(path.name, tasks=20), [])
    record: EpisodeRecord = made_record(
        number, success=number % 2 == 0, usage=Usage(calls=1, cost_usd=0.1 * number)
    )
    line = canonical(record.to_json()) + b"\n"
    match operation:
        case "append":
            journal.write_bytes(journal.read_bytes() + line)
        case "torn":
            journal.write_bytes(journal.read_bytes() + line[: 10 + number])
        case "void":
            with (path / "voids.jsonl").open("ab") as file:
                file.write(b'{"kind":"void"}\n' if number % 5 == 4 else b"")
        case "remove":
            shutil.rmtree(path)
        case "corrupt":
            lines = journal.read_bytes().splitlines(keepends=True)
            journal.write_bytes(b"".join([b"{}\n", *lines[1:]]))
        case "swap":
            journal.unlink()
            journal.write_bytes(line)
        case "manifest":
            text = (path / "manifest.json").read_text()
            (path / "manifest.json").write_text(text.replace('"seed": 7', '"seed": 8'))


def added(records: Sequence[EpisodeRecord], value: float, **changes: str) -> PosthocScores:
    """Scores of a measure named f1 for these episodes."""
    given = [
        PosthocScore(
            **{
                "episode_id": each.episode_id,
                "task_id": each.task_id,
                "transcript_head": each.transcript_head,
                **changes,
            },  # type: ignore[arg-type]
            metrics={"f1": value},
        )
        for each in records
    ]
    return PosthocScores("words", "how alike the words are", {}, tuple(given))


def test_scores_that_are_added_afterwards_are_read(runs: Path, index: Index) -> None:
    text = made_text("run", tasks=4)
    path = write_run(runs, text)
    index.sync()
    with index.read() as read:
        assert read.added_scores("run") == ()
    write_posthoc_scores(path, added(text.episodes[:3], 0.5))
    assert index.sync().changed == ("run",)
    with index.read() as read:
        (found,) = read.added_scores("run")
        first = read.episode("run", text.episodes[0].episode_id)
    assert (found.name, found.episodes, found.means) == ("words", 3, {"f1": 0.5})
    assert first is not None
    assert first.added_metrics == {"words": {"f1": 0.5}}
    assert_current(index)
    # Scores of another transcript do not count.
    write_posthoc_scores(path, added(text.episodes, 0.5, transcript_head="ab" * 32))
    index.sync()
    with index.read() as read:
        assert read.added_scores("run")[0].episodes == 0
    (path / "scores" / "words.json").write_text("{")
    os.utime(path / "scores")
    index.sync()
    with index.read() as read:
        assert "line 1 column 2" in read.added_scores("run")[0].problem
    assert_current(index)
    shutil.rmtree(path / "scores")
    index.sync()
    with index.read() as read:
        assert read.added_scores("run") == ()
    assert_current(index)


def test_lost_agents_are_read_while_they_are_noted(runs: Path, index: Index) -> None:
    path = write_run(runs, made_text("run", tasks=2))
    index.sync()
    notes = path / "logs" / "lost-guests.jsonl"
    notes.parent.mkdir()
    for number in range(3):
        lost = {"failure": "agent_crashed", "times": 2, "exit_code": number, "log_tail": "no\0 GPU"}
        with notes.open("a") as file:
            file.write(json.dumps(lost) + "\n")
        index.sync()
        with index.read() as read:
            found = read.lost_agents("run")
        assert [each.exit_code for each in found] == list(range(number + 1))
        assert only(index).lost_agents == number + 1
    assert found[0].log_tail == "no\N{REPLACEMENT CHARACTER} GPU"
    with notes.open("a") as file:
        hostile = {
            "failure": "x" * 9999,
            "exit_code": 10**40,
            "first_offending_step": {"step": -1.5},
        }
        file.write(json.dumps(hostile) + "\nnot JSON\n")
    index.sync()
    assert_current(index)
    with index.read() as read:
        assert read.lost_agents("run")[-1].exit_code is None


def test_seeds_keep_every_digit_and_counts_stay_whole_in_javascript(
    runs: Path, index: Index
) -> None:
    text = made_text("run", tasks=2, seed=2**63 - 1)
    claimed = Usage(calls=1, input_tokens=2**63 - 1, output_tokens=2**63 - 1)
    records = [replace(each, seed=2**60 + 1, usage=claimed) for each in text.episodes]
    write_run(runs, text, records)
    index.sync()
    run = only(index)
    assert (run.seed, run.tokens, run.input_tokens) == (str(2**63 - 1), 2**53 - 1, 2**53 - 1)
    with index.read() as read:
        assert {each.seed for each in read.episodes().rows} == {str(2**60 + 1)}


def test_times_are_those_of_the_files(runs: Path, index: Index, key: SigningKey) -> None:
    path, _ = play_run(runs, key)
    record = read_run(path).episodes[0]
    os.utime(path / "transcripts" / f"{record.episode_id}.jsonl", ns=(0, 1_700_000_000_123_456_789))
    for name in ("manifest.json", "episodes.jsonl", "voids.jsonl", "uncounted.jsonl"):
        os.utime(path / name, ns=(0, 1_700_000_001_500_000_000))
    index.sync()
    assert only(index).changed == "2023-11-14T22:13:21.500+00:00"
    with index.read() as read:
        found = read.episode(path.name, record.episode_id)
        assert read.ended_since(path.name, 1_700_000_000_200_000_000) == 3
    assert found is not None
    assert found.episode.ended == "2023-11-14T22:13:20.123+00:00"


def test_the_log_of_events_has_the_times_of_episodes(
    runs: Path, index: Index, key: SigningKey
) -> None:
    path, _ = play_run(runs, key)
    (path / "logs").mkdir(exist_ok=True)
    said = [
        {"kind": kind, "time": time, "episode_id": "ep-lab-0-0"}
        for kind, time in (("opened", 1_700_000_000.5), ("closed", 1_700_000_009.25))
    ]
    said.append({"kind": "opened", "time": 1e30, "episode_id": "ep-lab-1-0"})
    lines = [json.dumps(each) for each in said]
    (path / "logs" / "events.jsonl").write_text("\n".join([*lines, "no JSON", "[]"]))
    index.sync()
    with index.read() as read:
        times = {each.episode_id: each for each in read.episodes().rows}
    assert times["ep-lab-0-0"].began == "2023-11-14T22:13:20.500+00:00"
    assert times["ep-lab-0-0"].ended == "2023-11-14T22:13:29.250+00:00"
    assert times["ep-lab-1-0"].began == ""
    assert times["ep-lab-1-0"].ended > "2024"
    assert_current(index)
    with playing(runs, key):
        assert_current(index)
    assert_current(index)
