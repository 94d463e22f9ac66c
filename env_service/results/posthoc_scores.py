"""Scores that a command gave to the episodes of a finished run."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from env_service.domain.data_node import DataNode, FormatError
from env_service.results.records import EpisodeRecord, check_kind
from env_service.results.run_layout import MOST_SCORES, SCORES
from env_service.storage.atomic_files import document, write_atomically
from env_service.storage.canonical_json import parse
from env_service.storage.plain_files import check_writable_place, read_plain

_KIND = "added_scores"


@dataclass(frozen=True, slots=True, kw_only=True)
class PosthocScore:
    """One episode's numbers by name; empty if it could not be scored.

    ``transcript_head`` is that of the episode's record at the time. ``details`` is JSON for
    readers.
    """

    episode_id: str
    task_id: str
    transcript_head: str
    metrics: Mapping[str, float] = field(default_factory=dict)
    details: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class PosthocScores:
    """The result of scoring a run once.

    Attributes:
        name: the name of the scores, such as "lcs".
        description: in words, how and with what they were made. Runs in which it differs do not
            compare.
        settings: the same as JSON.
        episodes: a score for each scored episode of the run.
    """

    name: str
    description: str
    settings: Mapping[str, Any]
    episodes: tuple[PosthocScore, ...]

    def misfit(self, records: Iterable[EpisodeRecord]) -> str:
        """Why these scores do not belong to these episodes, in words; empty if they do."""
        heads = {each.episode_id: each.transcript_head for each in self.episodes}
        scored = {each.episode_id: each.transcript_head for each in records if each.fault is None}
        same = sum(heads.get(name) == head for name, head in scored.items())
        if not same:
            return "they belong to episodes of another run"
        if same < len(scored):
            return f"they cover {same} of its {len(scored)} episodes: the run continued afterwards"
        if len(heads) > len(scored):
            return "they cover more episodes than the run has"
        return ""

    def to_json(self) -> dict[str, Any]:
        """The scores as stored in their file."""
        return {
            "kind": _KIND,
            "name": self.name,
            "told": self.description,
            "settings": dict(self.settings),
            "episodes": [
                {
                    "episode_id": each.episode_id,
                    "task_id": each.task_id,
                    "transcript_head": each.transcript_head,
                    "metrics": dict(each.metrics),
                    "details": dict(each.details),
                }
                for each in self.episodes
            ],
        }

    @staticmethod
    def from_json(value: object) -> PosthocScores:
        """Reads a file's value. Raises FormatError, which names the error."""
        fields = DataNode(value, "scores")
        check_kind(fields, _KIND)
        return PosthocScores(
            name=fields["name"].string(),
            description=fields["told"].string(),
            settings=fields["settings"].mapping(),
            episodes=tuple(
                PosthocScore(
                    episode_id=each["episode_id"].string(),
                    task_id=each["task_id"].string(),
                    transcript_head=each["transcript_head"].string(),
                    metrics=each["metrics"].mapped(DataNode.number),
                    details=each["details"].mapping(),
                )
                for each in fields["episodes"].items()
            ),
        )


def read_posthoc_scores(run: Path, name: str) -> PosthocScores | None:
    """The scores of that name in a run's folder; None without a file.

    Raises OSError, and FormatError, which names the file, if its contents are invalid.
    """
    path = _place(run, name)
    try:
        return PosthocScores.from_json(parse(read_plain(path, MOST_SCORES, within=run)))
    except FileNotFoundError:
        return None
    except ValueError as error:
        raise FormatError(f"{path}: {error}") from error


def fitting_scores(run: Path, name: str, records: Iterable[EpisodeRecord]) -> PosthocScores | str:
    """The scores of that name for exactly these episodes; otherwise the reason, in words."""
    try:
        scores = read_posthoc_scores(run, name)
    except (FormatError, OSError) as error:
        return f"those in its folder cannot be read: {error}"
    if scores is None:
        return "its folder has no such scores; a separate command writes them after a run"
    misfit = scores.misfit(records)
    return f"those in its folder are omitted: {misfit}" if misfit else scores


def write_posthoc_scores(run: Path, scores: PosthocScores) -> Path:
    """Replaces the scores of that name, and returns their file.

    A reader always finds the old or the new scores, complete, even after a crash. Raises OSError.
    """
    path = _place(run, scores.name)
    path.parent.mkdir(exist_ok=True)
    check_writable_place(path)
    write_atomically(path, document(scores.to_json()))
    return path


def _place(run: Path, name: str) -> Path:
    return run / SCORES / f"{name}.json"
