"""The events of a run: few in memory, all of them told."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from env_service.gateway import run_state
from env_service.gateway.run_state import BATCH, RECENT, EventLog, RunEvent, RunState

MANY = 3 * RECENT + BATCH // 2


def event(number: int) -> RunEvent:
    """Some event, unlike the others."""
    if number % 7 == 0:
        return RunEvent("state", float(number), state=RunState.RUNNING)
    return RunEvent("closed", number + 0.25, f"ep-{number}", "täsk", 2, True, "", number)


def filled(path: Path, count: int = MANY) -> EventLog:
    """A log of so many events."""
    log = EventLog(path)
    asyncio.run(fill(log, range(count)))
    return log


async def fill(log: EventLog, numbers: range) -> None:
    """Adds events, as a run does."""
    for number in numbers:
        log.append(event(number))
        if log.overfull:
            await log.store_oldest()


def store_all(log: EventLog) -> None:
    """Moves all events to the file."""
    asyncio.run(log.store_all())


def told(log: EventLog, cursor: int) -> list[RunEvent]:
    """What a watcher hears who has seen ``cursor`` events."""

    async def listen() -> list[RunEvent]:
        heard, at = list[RunEvent](), cursor
        while events := await log.after(at):
            assert len(events) <= BATCH
            heard += events
            at += len(events)
        return heard

    return asyncio.run(listen())


@pytest.mark.parametrize("cursor", [0, 1, BATCH - 1, BATCH, RECENT + 3, MANY - 1, MANY, 10**19])
def test_a_watcher_hears_every_event_after_its_cursor(tmp_path: Path, cursor: int) -> None:
    log = filled(tmp_path / "events.jsonl")
    expected = [event(number) for number in range(min(cursor, MANY), MANY)]
    assert told(log, cursor) == expected
    store_all(log)
    assert told(log, cursor) == expected


def test_few_events_stay_in_memory(tmp_path: Path) -> None:
    log = filled(tmp_path / "events.jsonl")
    assert log.count == MANY
    assert len(log._recent) < RECENT + BATCH
    store_all(log)
    assert log._recent == []
    log.append(event(MANY))
    assert told(log, MANY) == [event(MANY)]


def test_a_log_replaces_that_of_an_earlier_process(tmp_path: Path) -> None:
    path = tmp_path / "events.jsonl"
    store_all(filled(path))
    log = filled(path, 2 * BATCH)
    store_all(log)
    assert len(path.read_bytes().splitlines()) == 2 * BATCH
    assert told(log, 0) == [event(number) for number in range(2 * BATCH)]


def test_no_event_is_lost_where_the_file_cannot_be_written(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    folder = tmp_path / "logs"
    # Every one above those that stay in memory is another attempt.
    count = RECENT + 3 * BATCH + 1
    log = filled(folder / "events.jsonl", count)
    assert told(log, 0) == [event(number) for number in range(count)]
    assert [record.levelname for record in caplog.records] == ["WARNING"]
    folder.mkdir()
    store_all(log)
    assert log._recent == []
    assert told(log, 0) == [event(number) for number in range(count)]


def test_a_batch_that_was_written_in_part_is_written_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "events.jsonl"
    log = filled(path, 2 * BATCH)
    store_all(log)
    with path.open("ab") as file:
        file.write(b'{"torn')
    monkeypatch.setattr(run_state, "RECENT", 0)
    asyncio.run(fill(log, range(2 * BATCH, 4 * BATCH)))
    assert told(log, 0) == [event(number) for number in range(4 * BATCH)]


def test_events_that_come_while_others_are_written_keep_their_numbers(tmp_path: Path) -> None:
    log = EventLog(tmp_path / "events.jsonl")

    async def play() -> None:
        writing = list[asyncio.Task[None]]()
        for number in range(MANY):
            log.append(event(number))
            if log.overfull:
                writing.append(asyncio.ensure_future(log.store_oldest()))
            if number % 3 == 0:
                await asyncio.sleep(0)
                cursor = number // 2
                heard = await log.after(cursor)
                assert heard == [event(n) for n in range(cursor, cursor + len(heard))]
        await log.store_all()
        await asyncio.gather(*writing)

    asyncio.run(play())
    assert log._recent == []
    assert told(log, 0) == [event(number) for number in range(MANY)]
