"""What episodes did, from the transcripts in their runs' folders."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from env_service.domain.action import Action
from env_service.plain_files import open_plain
from env_service.results.canonical import parse
from env_service.results.envelope import read_action
from env_service.results.fields import Fields
from env_service.results.layout import MOST_TRANSCRIPT, TRANSCRIPTS
from env_service.results.records import EpisodeRecord

Words = Callable[[Action], tuple[str, ...]]
_SUCCEEDED = "SUCCEEDED"


@dataclass(frozen=True, slots=True)
class Did:
    """One action as its words, and whether the house refused it."""

    words: str
    refused: bool = False


@dataclass(frozen=True, slots=True)
class Played:
    """What was done of one task: by an agent in a run, or by an expert.

    ``who`` tells runs apart, and is empty where nothing has to.
    """

    task_id: str
    won: bool
    actions: tuple[Did, ...]
    who: str = ""


def instruction_of(run: Path, record: EpisodeRecord) -> str | None:
    """The instruction that the episode began with; None where its transcript cannot be read."""
    lines = read_lines(run, record)
    begin = next((line for line in lines if line.get("kind") == "begin"), {})
    told = _mapping(begin.get("truth")).get("instruction")
    return told if isinstance(told, str) else None


def actions_of(run: Path, record: EpisodeRecord, words: Words) -> tuple[Did, ...]:
    """The episode's actions, as far as its transcript can be read."""
    steps = (line for line in read_lines(run, record) if line.get("kind") == "step")
    return tuple(did for step in steps for did in _did(step, words))


def _did(step: Mapping[str, Any], words: Words) -> Iterator[Did]:
    try:
        said = words(read_action(step["action"]))
        codes = [code for code, _ in Fields(step["truth"], "truth").items("outcomes")]
    except (KeyError, TypeError, ValueError):
        return
    for number, word in enumerate(said):
        # A plan that ended early has no outcome for what was left of it.
        yield Did(word, number < len(codes) and codes[number] != _SUCCEEDED)


def read_lines(run: Path, record: EpisodeRecord) -> Iterator[Mapping[str, Any]]:
    """The lines of an episode's transcript, up to the first that cannot be read."""
    try:
        path = run / TRANSCRIPTS / f"{record.episode_id}.jsonl"
        with open_plain(path, MOST_TRANSCRIPT, within=run) as file:
            for line in file:
                yield _mapping(parse(line))
    except (OSError, ValueError):
        return


def _mapping(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}
