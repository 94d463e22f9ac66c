"""The first tables.

Do not change a migration once an index may have been made with it: write the next one for a
change of ``env_service.index.schema``, and name it there as REVISION.
"""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "r0001"
down_revision = None

_TYPES: dict[str, Any] = {
    "name": sa.String(512),
    "text": sa.Text(),
    "whole": sa.BigInteger(),
    "place": sa.Integer(),
    "number": sa.Double(),
    "flag": sa.Boolean(),
}
_USAGE = """calls:whole input_tokens:whole output_tokens:whole cached_input_tokens:whole
    reasoning_tokens:whole images:whole model_seconds:number cost_usd:number"""


def upgrade() -> None:
    """Makes them."""
    _make_runs()
    _of_run(
        "files",
        "name:name",
        "size:whole mtime_ns:whole inode:whole offset:whole lines:whole head:name problem:text",
    )
    _of_run(
        "tasks",
        "task_id:name",
        """group:name cluster:name instruction:text scored:whole successes:whole steps:whole
        gained_n:whole gained_sum:number""",
    )
    _of_run(
        "episodes",
        "seq:whole",
        f"""episode_id:name task_id:name group:name cluster:name repeat:whole seed:whole
        success:flag failure:name? fault:name? goals_met:number goals_gained:number? steps:whole
        agent_seconds:number environment_seconds:number session:name agent:name
        transcript_head:name exchanges:whole {_USAGE} instruction:text first_frame:name
        last_frame:name frame_encoding:name steps_problem:text""",
    )
    _index("episodes", "episode_id")
    _index("episodes", "run", "task_id", "repeat")
    _index("episodes", "run", "group")
    _of_run("episode_labels", "episode:whole name:name", "value:text")
    _index("episode_labels", "name", "run")
    _of_run("episode_metrics", "episode:whole name:name", "value:number")
    _of_run(
        "goal_conditions", "episode:whole place:place", "name:text met:flag held_at_start:flag?"
    )
    _of_run(
        "steps",
        "episode:whole place:place",
        """kind:name action:text outcome:name feedback:text frame:name agent_seconds:number
        environment_seconds:number tokens:whole""",
    )
    _of_run(
        "voids",
        "seq:whole",
        f"""episode_id:name task_id:name repeat:whole attempt:whole fault:name detail:text
        collateral:flag session:name agent:name exchanges:whole {_USAGE}""",
    )
    _of_run(
        "uncounted",
        "seq:whole",
        f"""cause:name episode_id:name task_id:name repeat:whole steps:whole reason:name
        message:text session:name agent:name exchanges:whole {_USAGE}""",
    )


def _make_runs() -> None:
    op.create_table(
        "runs",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite")),
        *_columns(f"""root:text path:name revision:whole run_id:name identity:name setting:name
            suite:name suite_version:name task_set:name task_set_digest:name world:name
            condition:text seed:whole repeats:whole planned:whole agent:name agent_digest:name
            agent_name:name model:name mixture:text created:name status:name problem:text
            changed_ns:whole final:whole scored:whole successes:whole low:number? high:number?
            gained_n:whole gained_sum:number met_sum:number steps:whole agent_seconds:number
            environment_seconds:number {_USAGE} uncounted_tokens:whole uncounted_cost_usd:number
            voids:whole uncounted:whole without_steps:whole"""),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_runs")),
        sa.UniqueConstraint("root", "path", name=op.f("uq_runs_root_path")),
        sqlite_autoincrement=True,
    )
    _index("runs", "root", "status")


def _of_run(table: str, keys: str, columns: str) -> None:
    """A table whose rows go with their run, by which its primary key begins."""
    key = _columns(keys)
    op.create_table(
        table,
        sa.Column("run", sa.BigInteger(), nullable=False),
        *key,
        *_columns(columns),
        sa.PrimaryKeyConstraint("run", *(each.name for each in key), name=op.f(f"pk_{table}")),
        sa.ForeignKeyConstraint(
            ["run"], ["runs.id"], ondelete="CASCADE", name=op.f(f"fk_{table}_run")
        ),
        sqlite_with_rowid=False,
    )


def _columns(words: str) -> list[sa.Column[Any]]:
    """Columns from ``name:type`` words; a question mark behind one allows NULL."""
    split = (word.split(":") for word in words.split())
    return [
        sa.Column(name, _TYPES[kind.rstrip("?")], nullable=kind.endswith("?"), autoincrement=False)
        for name, kind in split
    ]


def _index(table: str, *columns: str) -> None:
    op.create_index(op.f(f"ix_{table}_{'_'.join(columns)}"), table, list(columns))
