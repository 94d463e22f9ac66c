"""By what results are broken down: labels and numbers that a level has, whatever is answered."""

from __future__ import annotations

from env_service.suites.babybench.knowledge import Knowledge
from env_service.suites.babybench.tasks import Subject
from env_service.worlds.babyai.levels import Level
from env_service.worlds.babyai.state import PORTABLE

HELP_CLASSES = ((0, "0-2"), (3, "3-4"), (5, "5-6"), (7, "7-9"), (10, "10+"))
"""The least help of each class, and its name. The paper names the first and the last two; how it
cuts what is between is not told."""


def help_class(count: int) -> str:
    """The class that so many subgoals of help belong to."""
    return next(name for least, name in reversed(HELP_CLASSES) if count >= least)


def subject_labels(subject: Subject) -> dict[str, str]:
    """``question`` and ``grid`` ("22x22"); a level's ``difficulty``, or a Plan room's ``size``
    and the number of ``obstacles``."""
    level = subject.level
    labels = {
        "question": subject.question.value,
        "grid": f"{level.grid_size}x{level.grid_size}",
    }
    if isinstance(level, Level):
        return {**labels, "difficulty": level.difficulty}
    return {**labels, "size": level.size, "obstacles": str(level.distractors)}


def level_labels(known: Knowledge) -> dict[str, str]:
    """``help_class`` by the published count, and ``help_added_class`` without the translation."""
    expert = known.expert
    return {
        "help_class": help_class(expert.help_count),
        "help_added_class": help_class(expert.help_added),
    }


def level_metrics(known: Knowledge) -> dict[str, float]:
    """What the expert took, and how many keys, balls and boxes there are."""
    expert = known.expert
    things = sum(thing.kind in PORTABLE for _, thing in known.facts.objects)
    return {
        "expert_steps": float(len(expert.actions)),
        "help_count": float(expert.help_count),
        "help_initial": float(expert.help_initial),
        "help_added": float(expert.help_added),
        "objects": float(things),
    }
