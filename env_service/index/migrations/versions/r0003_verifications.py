"""Verifications, added scores, lost agents, and the times of episodes.

The rows of runs go: the next sync reads the runs again, with what is new.
"""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "r0003"
down_revision = "r0002"

_NAME, _WHOLE = sa.String(512), sa.BigInteger()


def upgrade() -> None:
    """Empties the tables of runs, adds columns to them, and makes the new ones."""
    op.execute("DELETE FROM runs")
    _add("runs", "budgets", sa.Text(), "")
    _add("runs", "lost_agents", _WHOLE, "0")
    _add("runs", "digest", _NAME, "")
    _add("episodes", "ended_ns", _WHOLE, "0")
    _of_run("added_scores", [("name", _NAME)], [("description", sa.Text()), ("problem", sa.Text())])
    _of_run(
        "added_metrics",
        [("score", _NAME), ("episode_id", _NAME), ("name", _NAME)],
        [("transcript_head", _NAME), ("value", sa.Double())],
    )
    _of_run("episode_times", [("episode_id", _NAME)], [("began_ns", _WHOLE), ("ended_ns", _WHOLE)])
    _of_run(
        "lost_agents",
        [("seq", _WHOLE)],
        [
            ("failure", _NAME),
            ("sessions", sa.Text()),
            ("exit_code", None),
            ("times", _WHOLE),
            ("final", sa.Boolean()),
            ("episode_id", _NAME),
            ("step", None),
            ("problem", sa.Text()),
            ("log_tail", sa.Text()),
        ],
    )
    names = ("run_id", "path", "created", "houseguest", "public_key", "digest")
    op.create_table(
        "verifications",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite")),
        sa.Column("root", sa.Text(), nullable=False),
        *(sa.Column(name, _NAME, nullable=False) for name in names),
        sa.Column("passed", sa.Boolean(), nullable=False),
        *(sa.Column(name, _WHOLE, nullable=False) for name in ("episodes", "replayed", "problems")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_verifications")),
        sa.UniqueConstraint("root", "run_id", name=op.f("uq_verifications_root_run_id")),
        sqlite_autoincrement=True,
    )


def _add(table: str, name: str, kind: Any, default: str) -> None:
    op.add_column(table, sa.Column(name, kind, nullable=False, server_default=default))


def _of_run(
    table: str,
    keys: list[tuple[str, Any]],
    columns: list[tuple[str, Any]],
) -> None:
    """A table whose rows go with their run; a column without a type is a whole number or NULL."""
    op.create_table(
        table,
        sa.Column("run", _WHOLE, nullable=False),
        *(sa.Column(name, kind, nullable=False, autoincrement=False) for name, kind in keys),
        *(sa.Column(name, kind or _WHOLE, nullable=kind is None) for name, kind in columns),
        sa.PrimaryKeyConstraint("run", *(name for name, _ in keys), name=op.f(f"pk_{table}")),
        sa.ForeignKeyConstraint(
            ["run"], ["runs.id"], ondelete="CASCADE", name=op.f(f"fk_{table}_run")
        ),
        sqlite_with_rowid=False,
    )
