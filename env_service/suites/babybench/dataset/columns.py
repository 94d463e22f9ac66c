"""The columns of a data set, and a digest of the content of all rows."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Any

SCHEMA_VERSION = "1"
"""The version of the columns: raised if one is added, removed or changes its meaning."""

MOST_BYTES = 2**36
"""The largest file of rows that is read, in bytes."""

Row = Mapping[str, Any]
"""A row: a value of its kind for every column, by name. Equal rows have equal JSON."""


class Kind(Enum):
    """The values that a column holds. CSV has the last three as JSON."""

    TEXT = "text"
    INTEGER = "integer"
    BOOLEAN = "boolean"
    TEXTS = "list of texts"
    DOORS = "list of doors"
    """``{"color", "x", "y", "state"}``; the state is "open", "closed" or "locked"."""
    SUBGOALS = "list of subgoals"
    """``{"name", "reason", "target", "x", "y"}``; x and y are null where it names no cell."""


@dataclass(frozen=True, slots=True)
class Column:
    """One column. ``published``: LLM-BabyBench's files have it too."""

    name: str
    kind: Kind
    meaning: str
    published: bool = False


_STATE = "as ((x, y), d): column and row from the north-west corner, both from 0; d is 0 east, 1"
_STATE += " south, 2 west, 3 north"

_BEGINNING = (
    Column("env_name", Kind.TEXT, "The environment's id in minigrid.", published=True),
    Column("seed", Kind.INTEGER, "The seed that it is made from.", published=True),
    Column(
        "env_description", Kind.TEXT, "The environment in words, by the formatter.", published=True
    ),
    Column("initial_state", Kind.TEXT, f"The agent at the start, {_STATE}.", published=True),
)

_EXPERT_ACTIONS = "The expert's actions, joined by comma and space"

_ASKED: Mapping[str, tuple[Column, ...]] = {
    "predict": (
        Column("action_sequence", Kind.TEXT, f"{_EXPERT_ACTIONS}: the question.", published=True),
        Column(
            "target_state",
            Kind.TEXT,
            "The agent after these actions, as initial_state: the answer.",
            published=True,
        ),
    ),
    "plan": (
        Column("target_subgoal", Kind.TEXT, "The red ball's cell, as (x, y).", published=True),
        Column(
            "expert_action_sequence",
            Kind.TEXT,
            f"{_EXPERT_ACTIONS}: one right answer, though not always the shortest.",
            published=True,
        ),
    ),
    "decompose": (
        Column("mission", Kind.TEXT, "What is to be achieved.", published=True),
        Column(
            "help_count",
            Kind.INTEGER,
            "Subgoals that the expert set itself, those of the mission's translation included.",
            published=True,
        ),
    ),
}

_SHORTEST = Column("shortest_steps", Kind.INTEGER, "The fewest actions that reach the ball.")

_MISSION = Column("mission", Kind.TEXT, "What is to be achieved.")

_HELP = (
    Column("help_initial", Kind.INTEGER, "Those of help_count that translate the mission."),
    Column("help_added", Kind.INTEGER, "Those of help_count that it added on the way."),
    Column(
        "initial_subgoals",
        Kind.SUBGOALS,
        "The mission's translation in order: the subgoal's name; why it is there, where not for"
        " itself (Open: to open the door; PutNext: to face a free cell beside the target); what"
        " it concerns; and the cell of that which the expert takes at the start.",
    ),
    Column("expert_action_sequence", Kind.TEXT, f"{_EXPERT_ACTIONS}."),
)

_COMMON = (
    Column("question", Kind.TEXT, "predict, plan or decompose."),
    Column(
        "task_id",
        Kind.TEXT,
        "The task of the suite babybench that asks the same: of the task set QUESTION-dataset for"
        " the seeds 1 to 500, and of QUESTION:LEVELS:SEEDS for all.",
    ),
    Column("level", Kind.TEXT, "The level's short name."),
    Column("difficulty", Kind.TEXT, "The level's group in LLM-BabyBench; in Plan its size."),
    Column("skills", Kind.TEXTS, "What the level takes, after BabyAI's list of competencies."),
    Column("doors", Kind.DOORS, "Every door at the start, by rows from the north-west corner."),
    Column("grid_width", Kind.INTEGER, "Cells, outer walls included."),
    Column("grid_height", Kind.INTEGER, "Cells, outer walls included."),
    Column("things", Kind.INTEGER, "Keys, balls and boxes."),
    Column("obstacles", Kind.INTEGER, "Those of things that the mission does not mean."),
    Column("max_steps", Kind.INTEGER, "Actions after which minigrid ends the episode."),
    Column(
        "env_published",
        Kind.BOOLEAN,
        "Whether this is LLM-BabyBench's environment: minigrid 3.2 makes a few others.",
    ),
    Column("expert_steps", Kind.INTEGER, "How many actions the expert took."),
    Column("expert_success", Kind.BOOLEAN, "Whether they fulfil the mission."),
    Column("expert_mode", Kind.TEXT, "compat: the expert as published; fixed: without its faults."),
    Column("formatter", Kind.TEXT, "Which one wrote env_description."),
    Column("schema_version", Kind.TEXT, "Of these columns."),
)

QUESTIONS = tuple(_ASKED)
"""The questions that there are data sets of."""


def columns_of(question: str) -> tuple[Column, ...]:
    """The columns of one question's rows, in order. ``question`` is one of QUESTIONS."""
    own = {"predict": (_MISSION,), "plan": (_MISSION, _SHORTEST), "decompose": _HELP}[question]
    return (*_BEGINNING, *_ASKED[question], *own, *_COMMON)


# --- A digest of the content of a data set, independent of file formats


class ContentDigest:
    """SHA-256 over rows in order, each as JSON with sorted keys, no spaces, and a line break.

    It depends neither on the files' formats nor on how many processes made the rows.
    """

    def __init__(self) -> None:
        self._sha256 = hashlib.sha256()

    def add(self, row: Row) -> None:
        """Adds the next row."""
        text = json.dumps(row, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
        self._sha256.update(text.encode() + b"\n")

    def hexdigest(self) -> str:
        """The digest of the rows so far."""
        return self._sha256.hexdigest()


def dump(value: Any) -> str:
    """JSON on one line, for JSON Lines and for lists in CSV. Equal values give equal texts."""
    return json.dumps(value, ensure_ascii=False, allow_nan=False)
