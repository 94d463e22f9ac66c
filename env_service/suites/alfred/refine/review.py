"""The file that people look over: one row for each text, with columns for their word.

CSV for a spreadsheet (UTF-8 with a mark, so that Hangul is shown), or JSON Lines with the same
columns. What they write is read back, and has the last word.
"""

import csv
import io
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from env_service.storage.atomic_files import write_atomically
from env_service.storage.plain_files import MOST_GIVEN, read_plain
from env_service.suites.alfred.refine.checks import find_defects
from env_service.suites.alfred.refine.pipeline import PERSON, Entry, Key
from env_service.suites.alfred.refine.replies import MOST_TYPES
from env_service.suites.alfred.refine.sources import ReviewError, Source, Stage

COLUMNS = (
    *("task_id", "task_type", "action_sequence", "stage", "made_of", "text"),
    *("findings", "verdict", "correction"),
)

OK, AGAIN, NONE = "ok", "again", ""
VERDICTS = (OK, AGAIN, NONE)
"""What a person may say of a text: accept it, ask for it again, or nothing yet."""


@dataclass(frozen=True, slots=True)
class Word:
    """A person's word on one text.

    Attributes:
        text: the text that was looked at.
        verdict: one of VERDICTS.
        correction: what shall stand in its place; empty for nothing. Of the integrity check a
            type, "1" … "5".
        where: the file and line, for messages.
    """

    key: Key
    text: str
    verdict: str
    correction: str
    where: str


def write_review(
    path: Path,
    sources: Sequence[Source],
    entries: Mapping[Key, Entry],
    words: Mapping[Key, Word],
) -> None:
    """Writes the review file of some tasks: CSV, or JSON Lines by the name's ending. ``words`` that
    were said before are kept in it."""
    rows = [
        _row(source, entry, words.get(entry.key)) for source, entry in _entries(sources, entries)
    ]
    if path.suffix == ".jsonl":
        text = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    else:
        file = io.StringIO(newline="")
        writer = csv.DictWriter(file, COLUMNS)
        writer.writeheader()
        writer.writerows(rows)
        text = "\ufeff" + file.getvalue()
    write_atomically(path, text.encode())


def read_review(path: Path) -> dict[Key, Word]:
    """What people wrote into a review file; rows without a verdict and a correction say nothing.

    Raises:
        ReviewError: the file is not a review file, or a row cannot be understood; names the line.
        OSError: the file cannot be read.
    """
    try:
        text = read_plain(path, MOST_GIVEN).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ReviewError(
            f"{path} is not in UTF-8 (byte {error.start}): save it as 'CSV UTF-8'"
        ) from error
    rows = _json_rows(path, text) if path.suffix == ".jsonl" else _csv_rows(path, text)
    words = (_word(row, where) for where, row in rows)
    return {word.key: word for word in words if word.verdict or word.correction}


@dataclass(frozen=True, slots=True)
class Applied:
    """What comes of people's words: entries to keep, keys to ask for again, and what could not be
    taken over, in words."""

    entries: tuple[Entry, ...]
    again: frozenset[Key]
    problems: tuple[str, ...]


def apply_words(
    words: Mapping[Key, Word], entries: Mapping[Key, Entry], sources: Sequence[Source]
) -> Applied:
    """Applies people's verdicts. A correction keeps the findings of the text that it replaces."""
    by_id = {source.id: source for source in sources}
    kept, again, problems = [], [], []
    for key, word in words.items():
        entry = entries.get(key)
        if entry is None or key[0] not in by_id:
            problems.append(f"{word.where}: no such text: task {key[0]}, stage {_named(key)}")
        elif word.correction:
            corrected = _corrected(entry, word, by_id[key[0]])
            kept += [corrected] if corrected != entry else []
        elif word.text.strip() != entry.text.strip() and not entry.type:
            problems.append(
                f"{word.where}: the text of task {key[0]}, stage {_named(key)}, has changed since"
                " it was looked at; look at it again"
            )
        elif word.verdict == AGAIN:
            again.append(key)
        elif entry.by != PERSON:
            kept.append(replace(entry, by=PERSON))
    return Applied(tuple(kept), frozenset(again), tuple(problems))


def _corrected(entry: Entry, word: Word, source: Source) -> Entry:
    if entry.stage is Stage.INTEGRITY:
        return replace(entry, type=int(word.correction), by=PERSON, findings=())
    text = " ".join(word.correction.split())
    found = find_defects(entry.stage, text, source.goal, entry.made_of)
    return replace(entry, text=text, by=PERSON, findings=tuple(map(str, found)))


def _entries(
    sources: Sequence[Source], entries: Mapping[Key, Entry]
) -> Iterator[tuple[Source, Entry]]:
    for source in sources:
        for stage in Stage:
            places = len(source.originals) if stage is Stage.INTEGRITY else 1
            found = (entries.get((source.id, stage, place)) for place in range(places))
            yield from ((source, entry) for entry in found if entry is not None)


def _row(source: Source, entry: Entry, word: Word | None) -> dict[str, str]:
    verdict, correction = NONE, ""
    if word is not None and word.correction not in (entry.text, str(entry.type)):
        verdict, correction = word.verdict, word.correction
    if entry.by == PERSON and not correction:
        verdict = OK
    judged = entry.stage is Stage.INTEGRITY and entry.done
    return {
        "task_id": source.id,
        "task_type": source.goal.type.value,
        "action_sequence": source.action_sequence,
        "stage": _named(entry.key),
        "made_of": entry.made_of,
        "text": f"{entry.type}: {entry.text}" if judged else entry.text,
        "findings": "\n".join(entry.findings),
        "verdict": verdict,
        "correction": correction,
    }


def _named(key: Key) -> str:
    """A stage as a column has it; of the integrity check with the number of the command."""
    return f"{key[1].value}/{key[2]}" if key[1] is Stage.INTEGRITY else key[1].value


def _word(row: Mapping[str, str], where: str) -> Word:
    stage, _, place = row["stage"].partition("/")
    try:
        key = (row["task_id"], Stage(stage), int(place or 0))
    except ValueError:
        stages = ", ".join(each.value for each in Stage)
        raise ReviewError(
            f"{where}: no such stage: {row['stage']!r:.40}; it has to be one of {stages}"
        ) from None
    verdict, correction = row["verdict"].strip().lower(), row["correction"].strip()
    if verdict not in VERDICTS:
        raise ReviewError(
            f"{where}: no such verdict: {verdict!r:.40}; write {OK}, {AGAIN}, or nothing, and a"
            " better text into the column correction"
        )
    types = [str(number) for number in range(1, MOST_TYPES + 1)]
    if correction and key[1] is Stage.INTEGRITY and correction not in types:
        raise ReviewError(
            f"{where}: {correction!r:.40} is not a type; to correct an integrity check, write a"
            f" number from 1 to {MOST_TYPES}"
        )
    return Word(key, row["text"], verdict, correction, where)


_Rows = Iterable[tuple[str, Mapping[str, str]]]


def _csv_rows(path: Path, text: str) -> _Rows:
    # Spreadsheets of some countries write semicolons.
    first = text.partition("\n")[0]
    delimiter = max(",;\t", key=first.count)
    reader = csv.DictReader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    try:
        lacking = [name for name in COLUMNS if name not in (reader.fieldnames or ())]
        if lacking:
            raise _no_review(path, f"it lacks the column {lacking[0]!r}")
        for row in reader:
            where = f"{path}, line {reader.line_num}"
            yield where, _texts(row, where, row.get)
    except csv.Error as error:
        raise ReviewError(f"{path}, line {reader.line_num + 1}: {error}") from error


def _json_rows(path: Path, text: str) -> _Rows:
    for number, line in enumerate(text.splitlines(), 1):
        where = f"{path}, line {number}"
        try:
            row = json.loads(line)
        except ValueError as error:
            raise ReviewError(f"{where} is not JSON: {error}") from error
        if not isinstance(row, dict):
            raise _no_review(path, f"line {number} is not an object")
        yield where, _texts(row, where, row.get)


def _texts(row: Mapping[Any, Any], where: str, get: Callable[[str], Any]) -> dict[str, str]:
    """The columns of a row, which all have to be there."""
    short = [name for name in COLUMNS if not isinstance(get(name), str)]
    if short or None in row:
        what = f"lacks the column {short[0]!r}" if short else "has more columns than the first line"
        raise ReviewError(f"{where} {what}")
    return {name: row[name] for name in COLUMNS}


def _no_review(path: Path, why: str) -> ReviewError:
    return ReviewError(
        f"{path} is not a review file: {why}; it has to have the columns {', '.join(COLUMNS)}"
    )
