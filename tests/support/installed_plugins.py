"""Distributions of others, installed for the length of a test: see the fixture ``site``."""

from __future__ import annotations

from pathlib import Path

from env_service.plugins import installed_by_group


def install(site: Path, distribution: str, entry_points: str) -> None:
    """Puts a distribution's metadata into the folder, as pip does."""
    folder = site / f"{distribution}-1.0.dist-info"
    folder.mkdir()
    (folder / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {distribution}\nVersion: 1.0\n")
    (folder / "entry_points.txt").write_text(entry_points)
    installed_by_group.cache_clear()
