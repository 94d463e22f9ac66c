"""The steps of recorded episodes as tables: one row for each, for files and data frames."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import orjson

from env_service.domain.data_node import FormatError
from env_service.results.domain_json import read_action
from env_service.results.recorded_episode import action_words
from env_service.results.records import EpisodeRecord
from env_service.results.report.episode_table import Column, Kind, Value
from env_service.results.run_layout import MOST_TRANSCRIPT, TRANSCRIPTS
from env_service.results.run_reader import RunContents
from env_service.storage.canonical_json import canonical
from env_service.storage.plain_files import open_plain
from env_service.storage.signed_journal import CorruptFileError

STEP_COLUMNS = (
    Column("run", Kind.TEXT, "Name of the run's folder."),
    Column("run_id", Kind.TEXT, "The run's id."),
    Column("episode_id", Kind.TEXT, "The episode's id."),
    Column("task_id", Kind.TEXT, "The task's id."),
    Column("repeat", Kind.WHOLE, "Repeat of the task, from 0."),
    Column("step", Kind.WHOLE, "Index of the step, from 0."),
    Column("action", Kind.TEXT, "The action in words; the calls of a plan joined by semicolons."),
    Column("action_json", Kind.TEXT, "The action in JSON, as the transcript has it."),
    Column("outcome", Kind.TEXT, "Code of the last action's true outcome."),
    Column("feedback", Kind.TEXT, "The suite's feedback on it."),
    Column("shown_outcome", Kind.TEXT, "The code that the agent was shown."),
    Column("shown_feedback", Kind.TEXT, "The feedback that the agent was shown."),
    Column("status", Kind.TEXT, "The episode's status after the step, such as RUNNING."),
    Column("steps_left", Kind.WHOLE, "Steps that remain; missing without a limit."),
    Column("thought", Kind.TEXT, "The agent's thought, by its own claim."),
    Column("reply", Kind.TEXT, "The model's reply, by the agent's own claim."),
    Column("text", Kind.TEXT, "The text that the agent was shown afterwards."),
    Column("pictures", Kind.WHOLE, "Number of pictures that it was shown afterwards."),
    Column("agent_seconds", Kind.NUMBER, "The agent's time."),
    Column("environment_seconds", Kind.NUMBER, "The environment's time."),
    Column("calls", Kind.WHOLE, "Calls of models, by the agent's own count."),
    Column("input_tokens", Kind.WHOLE, "Tokens that models received."),
    Column("output_tokens", Kind.WHOLE, "Tokens that models sent."),
    Column("cost_usd", Kind.NUMBER, "What the models cost, by the agent's own count."),
)
"""The columns of a table of steps."""

OPENING_COLUMNS = (
    Column("instruction", Kind.TEXT, "The task in words."),
    Column("opening", Kind.TEXT, "The text that the agent was shown before its first step."),
    Column("opening_pictures", Kind.WHOLE, "Number of pictures that it was shown then."),
)
"""What a table of episodes can have from their transcripts."""

Row = tuple[Value, ...]

_SHORT, _MOST_KNOWN = 300, 10_000
_KNOWN: dict[str, tuple[str, str]] = {}
"""Short actions that were written before: the same few make up most steps."""


def read_exchanges(
    run: RunContents, record: EpisodeRecord
) -> Iterator[tuple[int, Mapping[str, Any]]]:
    """The lines of an episode's transcript after its header, each with its size in bytes.

    Raises OSError, and CorruptFileError for a line that cannot be read or is missing.
    """
    path = run.path / TRANSCRIPTS / f"{record.episode_id}.jsonl"
    number = 0
    with open_plain(path, MOST_TRANSCRIPT, within=run.path) as file:
        for number, line in enumerate(file, 1):
            if number == 1:
                continue
            try:
                value = orjson.loads(line)
            except ValueError as error:
                raise CorruptFileError(path, number, "not JSON") from error
            if not isinstance(value, dict):
                raise CorruptFileError(path, number, "not a JSON object")
            yield len(line), value
    if number != record.exchanges + 1:
        problem = f"the transcript should have {record.exchanges + 1} lines"
        raise CorruptFileError(path, number, problem)


def opening_row(exchange: Mapping[str, Any]) -> Row:
    """The values of OPENING_COLUMNS from the exchange of kind ``begin``. Raises FormatError."""
    try:
        shown = exchange["shown"]
        return exchange["truth"]["instruction"], shown["text"], len(shown["images"])
    except (KeyError, TypeError) as error:
        raise _unreadable("opening", error) from error


def of_episode(run: RunContents, record: EpisodeRecord) -> Row:
    """The first values of STEP_COLUMNS, which all steps of an episode share."""
    return run.path.name, run.manifest.run_id, record.episode_id, record.task_id, record.repeat


def step_row(shared: Row, step: int, exchange: Mapping[str, Any]) -> Row:
    """The values of STEP_COLUMNS from an exchange of kind ``step``; ``shared`` are those that
    ``of_episode`` gives. Raises FormatError."""
    try:
        action, shown, truth = exchange["action"], exchange["shown"], exchange["truth"]
        trace = exchange.get("trace") or {}
        outcome = truth["outcomes"][-1] if truth["outcomes"] else (None, None)
        disclosed = shown["outcomes"][-1] if shown["outcomes"] else (None, None)
        return (
            *shared,
            step,
            *_written(action),
            *outcome,
            *disclosed,
            truth["status"],
            truth["steps_left"],
            trace.get("thought"),
            trace.get("raw_model_output"),
            shown["text"],
            len(shown["images"]),
            float(exchange["agent_seconds"]),
            float(exchange["environment_seconds"]),
            *_used(exchange.get("usage")),
        )
    except (KeyError, TypeError, ValueError) as error:
        raise _unreadable(f"step {step}", error) from error


_NOTHING_USED: Row = (0, 0, 0, 0.0)


def _used(usage: Mapping[str, Any] | None) -> Row:
    if not usage:
        return _NOTHING_USED
    whole = (usage.get(name, 0) for name in ("calls", "input_tokens", "output_tokens"))
    return (*whole, float(usage.get("cost_usd", 0)))


def _written(action: object) -> tuple[str, str]:
    """The action in words and in JSON."""
    key = repr(action)
    if (known := _KNOWN.get(key)) is None:
        known = "; ".join(action_words(read_action(action))), canonical(action).decode()
        if len(key) <= _SHORT:
            if len(_KNOWN) == _MOST_KNOWN:
                _KNOWN.clear()
            _KNOWN[key] = known
    return known


def _unreadable(what: str, error: Exception) -> FormatError:
    return FormatError(f"{what} of the transcript cannot be read: {type(error).__name__}: {error}")
