"""An index in PostgreSQL is the one in SQLite: the same rows and the same answers."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest

from env_service.index.episode_queries import EpisodeFilter, EpisodeSort, Outcome
from env_service.index.reading import Page
from env_service.index.run_queries import RunFilter, RunSort, Verified
from env_service.index.store import FILE, Index, IndexReader, IndexUnavailableError
from env_service.index.verifications import NewVerification, record_verification
from env_service.results.posthoc_scores import (
    PosthocScore,
    PosthocScores,
    write_posthoc_scores,
)
from env_service.storage.signing_key import SigningKey
from tests.support.indexed import assert_current, differences, new_index, rows_of
from tests.support.made_run import USED, made_text, write_run
from tests.support.played_run import play_run
from tests.support.postgres import postgres_url


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    with postgres_url() as found:
        yield found


@pytest.fixture
def runs(tmp_path: Path) -> Path:
    folder = tmp_path / "runs"
    folder.mkdir()
    play_run(folder, SigningKey.generate())
    text = made_text("a", tasks=12, repeats=2, usage=USED)
    first = write_run(folder, text)
    given = {"episode_id": text.episodes[0].episode_id, "task_id": "", "transcript_head": "0" * 64}
    score = PosthocScore(**given, metrics={"f1": 0.25})
    write_posthoc_scores(first, PosthocScores("words", "", {}, (score,)))
    (first / "logs").mkdir()
    (first / "logs" / "lost-guests.jsonl").write_text(json.dumps({"failure": "agent_lost"}) + "\n")
    write_run(folder, made_text("b", tasks=12, repeats=2, agent="other"))
    return folder


def answers(read: IndexReader) -> list[object]:
    """Everything that can be asked."""
    failed = EpisodeFilter(outcomes=[Outcome.FAILURE], labels=[("said", "no")], steps_from=6)
    found: list[object] = [
        read.facets(),
        read.episode_facets(),
        read.episode_facets(replace(failed, failures=["gave_up"], groups=["group-0", "group-1"])),
        read.episode_facets(EpisodeFilter(runs=["a", "b"], search="LAB/1")),
        [run.path for run in read.runs(RunFilter(verified=[Verified.CHANGED])).rows],
        read.lost_agents("a"),
        read.added_scores("a"),
        read.tasks(page=Page(0, 100)),
        read.leaderboards(),
        read.groups("a"),
        read.labels("a", "true"),
        read.failures("a"),
        read.runs(RunFilter(search="OTH", created_from="2025", created_to="2026")).total,
        *(read.lost(run.path) for run in read.runs(sort=RunSort.PATH).rows),
        *(read.episode("labsuite-scripted-1-0", "ep-lab-0-0"),),
    ]
    numbers = (RunSort.RATE, RunSort.GOALS_GAINED, RunSort.COST, RunSort.TOKENS, RunSort.SECONDS)
    found += [[run.path for run in read.runs(sort=sort).rows] for sort in numbers]
    found += [
        read.episodes(failed, sort=sort, descending=True, page=Page(2, 5)) for sort in EpisodeSort
    ]
    return found


def test_rows_and_answers_are_those_of_sqlite(url: str, runs: Path) -> None:
    with Index.open(runs, url) as index, new_index(runs, runs / FILE) as other:
        index.sync()
        other.sync()
        for each in (index, other):
            record_verification(each, NewVerification("a", "a", True, 24, 0, 0, "", "0" * 64))
        assert rows_of(index) == rows_of(other)
        with index.read() as one, other.read() as two:
            for ours, theirs in zip(answers(one), answers(two), strict=True):
                assert ours == theirs


def test_the_migrations_make_the_tables_of_the_schema(url: str, runs: Path) -> None:
    with Index.open(runs, url) as index, index.write() as connection:
        assert differences(connection) == []


def test_a_history_ends_as_a_new_index(url: str, runs: Path) -> None:
    with Index.open(runs, url) as index:
        index.sync()
        journal = runs / "a" / "episodes.jsonl"
        lines = journal.read_bytes().splitlines(keepends=True)
        shutil.rmtree(runs / "b")
        journal.write_bytes(b"".join(lines[:3]))
        index.sync()
        journal.write_bytes(b"".join([*lines[:7], b"{}\n"]))
        assert_current(index)
        journal.write_bytes(b"".join(lines))
        assert_current(index)
        with Index.open(runs, url, rebuild=True):
            assert rows_of(index)["steps"] == []
        assert_current(index)


def test_several_writers_make_one_index(url: str, runs: Path) -> None:
    for number in range(8):
        write_run(runs, made_text(f"more-{number}", tasks=6))
    indexes = [Index.open(runs, url) for _ in range(4)]
    with ThreadPoolExecutor(4) as threads:
        reports = list(threads.map(Index.sync, indexes))
    assert {report.runs for report in reports} == {11}
    assert_current(indexes[0])
    for index in indexes:
        index.close()


def test_a_server_that_does_not_answer_is_named(tmp_path: Path) -> None:
    with pytest.raises(IndexUnavailableError, match=r"me:\*\*\*@.* cannot be used: "):
        Index.open(tmp_path, f"postgresql://me:secret@/db?host={tmp_path}")
