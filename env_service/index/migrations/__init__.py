"""The migrations of the index's tables, for Alembic."""
