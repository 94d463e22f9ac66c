"""The tables of the index, for SQLite and PostgreSQL.

Every row repeats what a run's folder holds, so that the index can be deleted and built again; only
annotations and verifications are nowhere else. Rows
of a run are found by ``runs.id``, a number that means nothing outside of the database; a run's
name for people is its ``path``. Texts that come from a run are cut at the lengths below and are
otherwise kept as data: whoever shows them has to escape them.
"""

from __future__ import annotations

from typing import Any

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    Double,
    ForeignKey,
    Index,
    Integer,
    MetaData,
    String,
    Table,
    Text,
    UniqueConstraint,
)

REVISION = "r0003"
"""The newest migration. An index of another revision is migrated when it is opened."""

LONGEST_NAME = 512
"""Characters of a name: a task, a group, an agent. A run with a longer one cannot be read."""
LONGEST_TEXT = 2000
"""Characters of a text for people, such as a label's value; longer ones are cut."""
LONGEST_ACTION = 160
"""Characters of an action in words."""
LONGEST_FEEDBACK = 240
"""Characters of the world's answer to an action."""
LONGEST_LOG_TAIL = 10_000
"""Characters of the end of a lost agent's log."""

METADATA = MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "fk": "fk_%(table_name)s_%(column_0_name)s",
        "pk": "pk_%(table_name)s",
    }
)

_BIG = BigInteger().with_variant(Integer, "sqlite")
"""SQLite numbers rows by itself only in a column of its type INTEGER, which has 64 bits."""


def _name(name: str) -> Column[str]:
    return Column(name, String(LONGEST_NAME), nullable=False)


def _text(name: str) -> Column[str]:
    return Column(name, Text, nullable=False)


def _whole(name: str) -> Column[int]:
    return Column(name, BigInteger, nullable=False)


def _number(name: str) -> Column[float]:
    return Column(name, Double, nullable=False)


def _flag(name: str) -> Column[bool]:
    return Column(name, Boolean, nullable=False)


def _usage() -> list[Column[Any]]:
    """The numbers of a ``Usage``; all 0 where the agent reported none."""
    counts = ("calls", "input_tokens", "output_tokens", "cached_input_tokens")
    return [
        *map(_whole, (*counts, "reasoning_tokens", "images")),
        _number("model_seconds"),
        _number("cost_usd"),
    ]


def _of_run(name: str, *columns: Any) -> Table:
    """A table whose rows go when their run does; its primary key begins with the run."""
    run = Column("run", BigInteger, ForeignKey("runs.id", ondelete="CASCADE"), primary_key=True)
    return Table(name, METADATA, run, *columns, sqlite_with_rowid=False)


def _key(name: str, kind: type[Integer] | type[BigInteger] = BigInteger) -> Column[int]:
    return Column(name, kind, primary_key=True, autoincrement=False)


RUNS = Table(
    "runs",
    METADATA,
    Column("id", _BIG, primary_key=True),
    _text("root"),
    _name("path"),
    _whole("revision"),
    # From the manifest; empty where it cannot be read.
    _name("run_id"),
    _name("identity"),
    _name("setting"),
    _name("suite"),
    _name("suite_version"),
    _name("task_set"),
    _name("task_set_digest"),
    _name("world"),
    _text("condition"),
    _text("budgets"),
    _whole("seed"),
    _whole("repeats"),
    _whole("planned"),
    _name("agent"),
    _name("agent_digest"),
    _name("agent_name"),
    _name("model"),
    _text("mixture"),
    _name("created"),
    # From the journals, as they are now.
    _name("status"),
    _text("problem"),
    _whole("changed_ns"),
    _whole("final"),
    _whole("scored"),
    _whole("successes"),
    Column("low", Double),
    Column("high", Double),
    _whole("gained_n"),
    _number("gained_sum"),
    _number("met_sum"),
    _whole("steps"),
    _number("agent_seconds"),
    _number("environment_seconds"),
    *_usage(),
    _whole("uncounted_tokens"),
    _number("uncounted_cost_usd"),
    _whole("voids"),
    _whole("uncounted"),
    _whole("without_steps"),
    _whole("lost_agents"),
    _name("digest"),
    UniqueConstraint("root", "path"),
    Index(None, "root", "status"),
    sqlite_autoincrement=True,
)
"""A run each. ``root`` is the folder of runs (see ``Index``), ``path`` the run's name in it.

``revision`` grows with every change of the run's rows. ``setting`` is a digest of everything that
has to be equal before two results may be compared: suite, its version, task set, selected tasks,
world, condition and time budgets. ``condition`` and ``budgets`` are canonical JSON.
``agent_digest`` is that of the agent's files, ``agent_name`` and ``model`` what agents declared,
several joined by ", ".
``mixture`` says why the run is a mixture of agents, and is empty otherwise.

``status`` is a ``RunStatus``'s value, ``problem`` what cannot be read. ``changed_ns`` is when a
file of the run changed last, in ns since 1970. ``final`` counts final episodes, ``scored`` those
without a fault. All sums and the interval ``low`` … ``high`` of the success rate are over scored
episodes; ``gained_n`` counts those that have a share of goal conditions gained. ``voids`` and
``uncounted`` count the lines of these journals, and ``uncounted_*`` sum up the usage of everything
that is not scored. ``without_steps`` counts episodes whose transcript cannot be read.
``lost_agents`` counts agents that ended early. ``digest`` is ``run_digest``, empty while the run
plays and where it cannot be read.
"""

FILES = _of_run(
    "files",
    Column("name", String(LONGEST_NAME), primary_key=True),
    _whole("size"),
    _whole("mtime_ns"),
    _whole("inode"),
    _whole("offset"),
    _whole("lines"),
    _name("head"),
    _text("problem"),
)
"""How far each file of a run was read: what a sync compares with the disk.

``name`` is the path in the run's folder. ``size``, ``mtime_ns`` and ``inode`` are the file's; size
-1 where there is none. Of a journal the first ``offset`` bytes, which are ``lines`` lines, were
read; ``head`` is the SHA-256 of the last CHECKED bytes before that place. ``problem`` says why
reading ended there.
"""

TASKS = _of_run(
    "tasks",
    Column("task_id", String(LONGEST_NAME), primary_key=True),
    _name("group"),
    _name("cluster"),
    _text("instruction"),
    _whole("scored"),
    _whole("successes"),
    _whole("steps"),
    _whole("gained_n"),
    _number("gained_sum"),
)
"""A task each that has a final episode in the run, with sums over the scored ones.

Group, cluster and instruction are those of the first of them.
"""

EPISODES = _of_run(
    "episodes",
    _key("seq"),
    _name("episode_id"),
    _name("task_id"),
    _name("group"),
    _name("cluster"),
    _whole("repeat"),
    _whole("seed"),
    _flag("success"),
    Column("failure", String(LONGEST_NAME)),
    Column("fault", String(LONGEST_NAME)),
    _number("goals_met"),
    Column("goals_gained", Double),
    _whole("steps"),
    _number("agent_seconds"),
    _number("environment_seconds"),
    _name("session"),
    _name("agent"),
    _name("transcript_head"),
    _whole("exchanges"),
    *_usage(),
    _text("instruction"),
    _name("first_frame"),
    _name("last_frame"),
    _name("frame_encoding"),
    _text("steps_problem"),
    _whole("ended_ns"),
    Index(None, "episode_id"),
    Index(None, "run", "task_id", "repeat"),
    Index(None, "run", "group"),
)
"""A final episode each: its record, and from its transcript the instruction and the pictures that
were shown first and last. ``seq`` is the record's line, from 1. A frame is the SHA-256 (hex) by
which the frame store has it, empty without pictures. ``steps_problem`` says why the transcript
cannot be read; steps before that place are kept. ``ended_ns`` is when the transcript was written
last, in ns since 1970, 0 if there is none.
"""

EPISODE_LABELS = _of_run(
    "episode_labels",
    _key("episode"),
    Column("name", String(LONGEST_NAME), primary_key=True),
    _text("value"),
    Index(None, "name", "run"),
)
"""The suite's labels of an episode; ``episode`` is its ``seq``."""

EPISODE_METRICS = _of_run(
    "episode_metrics",
    _key("episode"),
    Column("name", String(LONGEST_NAME), primary_key=True),
    _number("value"),
)
"""The suite's metrics of an episode."""

GOAL_CONDITIONS = _of_run(
    "goal_conditions",
    _key("episode"),
    _key("place", Integer),
    _text("name"),
    _flag("met"),
    Column("held_at_start", Boolean),
)
"""An episode's goal conditions in their order, from 0."""

STEPS = _of_run(
    "steps",
    _key("episode"),
    _key("place", Integer),
    _name("kind"),
    _text("action"),
    _name("outcome"),
    _text("feedback"),
    _name("frame"),
    _number("agent_seconds"),
    _number("environment_seconds"),
    _whole("tokens"),
)
"""The steps of an episode in their order, from 0.

``kind`` is an ``ActionKind``'s value and ``action`` the action in words. ``outcome`` and
``feedback`` are true, not what was disclosed: those of the plan's first action that failed, or of
its last. ``frame`` is the picture that was shown after the step.
"""

VOIDS = _of_run(
    "voids",
    _key("seq"),
    _name("episode_id"),
    _name("task_id"),
    _whole("repeat"),
    _whole("attempt"),
    _name("fault"),
    _text("detail"),
    _flag("collateral"),
    _name("session"),
    _name("agent"),
    _whole("exchanges"),
    *_usage(),
)
"""An attempt each that the service lost (``VoidRecord``)."""

UNCOUNTED = _of_run(
    "uncounted",
    _key("seq"),
    _name("cause"),
    _name("episode_id"),
    _name("task_id"),
    _whole("repeat"),
    _whole("steps"),
    _name("reason"),
    _text("message"),
    _name("session"),
    _name("agent"),
    _whole("exchanges"),
    *_usage(),
)
"""An episode each without a result, or a withdrawal (``UncountedRecord``)."""

ADDED_SCORES = _of_run(
    "added_scores",
    Column("name", String(LONGEST_NAME), primary_key=True),
    _text("description"),
    _text("problem"),
)
"""Scores each that a command added to a finished run; ``problem`` says why they cannot be read."""

ADDED_METRICS = _of_run(
    "added_metrics",
    Column("score", String(LONGEST_NAME), primary_key=True),
    Column("episode_id", String(LONGEST_NAME), primary_key=True),
    Column("name", String(LONGEST_NAME), primary_key=True),
    _name("transcript_head"),
    _number("value"),
)
"""A number each that such scores give an episode. It counts only while the episode's record has
the same ``transcript_head``."""

EPISODE_TIMES = _of_run(
    "episode_times",
    Column("episode_id", String(LONGEST_NAME), primary_key=True),
    _whole("began_ns"),
    _whole("ended_ns"),
)
"""When an episode began and ended, in ns since 1970, 0 if that is not known: from the log of
events, which is complete when the run ends."""

LOST_AGENTS = _of_run(
    "lost_agents",
    _key("seq"),
    _name("failure"),
    _text("sessions"),
    Column("exit_code", BigInteger),
    _whole("times"),
    _flag("final"),
    _name("episode_id"),
    Column("step", BigInteger),
    _text("problem"),
    _text("log_tail"),
)
"""An agent's process each that ended early, by the line of the run's note, from 1: the last
MOST_LOST_AGENTS of them."""

ANNOTATIONS = Table(
    "annotations",
    METADATA,
    Column("id", _BIG, primary_key=True),
    _text("root"),
    _name("path"),
    _name("episode_id"),
    Column("step", BigInteger),
    _name("tag"),
    _text("comment"),
    _name("created"),
    Index(None, "root", "path", "episode_id"),
    sqlite_autoincrement=True,
)
"""A person's tag or comment each, on an episode or a ``step`` of it, from 0. They name the run by
its ``path`` and not by its number, so that they outlast a rebuild."""

VERIFICATIONS = Table(
    "verifications",
    METADATA,
    Column("id", _BIG, primary_key=True),
    _text("root"),
    _name("run_id"),
    _name("path"),
    _name("created"),
    _name("houseguest"),
    _flag("passed"),
    _whole("episodes"),
    _whole("replayed"),
    _whole("problems"),
    _name("public_key"),
    _name("digest"),
    UniqueConstraint("root", "run_id"),
    sqlite_autoincrement=True,
)
"""The last verification of each run by `houseguest verify`. It names the run by its ``run_id``, so
that it outlasts a rebuild and another name of the folder, which was ``path``. It is of the run as
it is now while the run's ``digest`` is the same. ``public_key`` is the key that the user trusts,
empty for the run's own."""
