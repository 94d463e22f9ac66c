"""By what the episodes of several runs belong together: by their tasks, or where a condition makes
several tasks of one, by a label that all of them share."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from env_service.results.reading import RunText
from env_service.results.records import EpisodeRecord
from env_service.results.statistics import Episodes as Scores
from env_service.suites.reporting import Label


@dataclass(frozen=True, slots=True)
class Pairing:
    """``label`` is what episodes are paired by; None: their tasks."""

    label: Label | None = None

    def of(self, record: EpisodeRecord) -> str:
        """What the episode is paired by; its task where it lacks the label."""
        if self.label is None:
            return record.task_id
        return record.labels.get(self.label.name, record.task_id)

    @property
    def averaged(self) -> bool:
        """Whether several episodes of a run may stand against one of another."""
        return self.label is not None

    def scored(self, text: RunText) -> set[str]:
        """All of which the run has scored an episode."""
        return {self.of(record) for record in text.episodes if record.fault is None}

    def scores(self, text: RunText, among: Collection[str] | None = None) -> Scores:
        """The run's scored episodes, ``among`` these alone if given, for the statistics: the mean
        success of those of one repeat that belong together."""
        together: dict[tuple[str, int], list[EpisodeRecord]] = {}
        for record in text.episodes:
            if record.fault is None and (among is None or self.of(record) in among):
                together.setdefault((self.of(record), record.repeat), []).append(record)
        return Scores(
            [name for name, _ in together],
            [repeat for _, repeat in together],
            [sum(each.success for each in own) / len(own) for own in together.values()],
            [own[0].cluster for own in together.values()],
        )


BY_TASK = Pairing()


def splits(text: RunText, label: Label) -> bool:
    """Whether a run plays a task as several that share the label."""
    return any(Pairing(label).of(record) != record.task_id for record in text.episodes)


def pairing(texts: Sequence[RunText], label: Label | None) -> Pairing:
    """How runs are paired of a suite whose design has that label as `paired_by`: by tasks, as long
    as all have the same ones."""
    digests = {text.manifest.task_set_digest for text in texts}
    return Pairing(label if len(digests) > 1 else None)
