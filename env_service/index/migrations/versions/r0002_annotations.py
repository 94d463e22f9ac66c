"""People's annotations."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "r0002"
down_revision = "r0001"


def upgrade() -> None:
    """Makes their table."""
    op.create_table(
        "annotations",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite")),
        sa.Column("root", sa.Text(), nullable=False),
        sa.Column("path", sa.String(512), nullable=False),
        sa.Column("episode_id", sa.String(512), nullable=False),
        sa.Column("step", sa.BigInteger(), nullable=True),
        sa.Column("tag", sa.String(512), nullable=False),
        sa.Column("comment", sa.Text(), nullable=False),
        sa.Column("created", sa.String(512), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_annotations")),
        sqlite_autoincrement=True,
    )
    op.create_index(
        op.f("ix_annotations_root_path_episode_id"), "annotations", ["root", "path", "episode_id"]
    )
