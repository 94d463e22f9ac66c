"""Brings an index's tables to the newest revision."""

from __future__ import annotations

from pathlib import Path

from alembic import command
from alembic.config import Config
from alembic.script import ScriptDirectory
from sqlalchemy import Connection


def upgrade(connection: Connection, revision: str = "head") -> None:
    """Runs the missing migrations in the connection's transaction, up to a revision."""
    config = _config()
    config.attributes["connection"] = connection
    command.upgrade(config, revision)


def known_revisions() -> tuple[str, ...]:
    """Every revision that ``upgrade`` can start from, newest first."""
    scripts = ScriptDirectory.from_config(_config())
    return tuple(script.revision for script in scripts.walk_revisions())


def _config() -> Config:
    config = Config()
    # Alembic reads a percent sign in its options as a reference to another option.
    config.set_main_option("script_location", str(Path(__file__).parent).replace("%", "%%"))
    config.set_main_option("path_separator", "os")
    return config
