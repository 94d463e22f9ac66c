"""What Alembic runs for a migration, in the connection that ``upgrade`` gives it."""

from __future__ import annotations

from alembic import context

from env_service.index.schema import METADATA

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=METADATA,
    compare_type=True,
)
with context.begin_transaction():
    context.run_migrations()
