"""A digest of what a run's score rests on, by which a change after a verification is noticed."""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path

from env_service.results.run_layout import EPISODES, MANIFEST, SUMMARY, UNCOUNTED, VOIDS
from env_service.storage.canonical_json import canonical
from env_service.storage.plain_files import open_plain
from env_service.storage.signed_journal import MOST_JOURNAL

_BLOCK = 2**20


def run_digest(run: Path) -> str:
    """SHA-256 (hex) over the manifest, the journals and the summary; empty if one of them cannot
    be read. The journals name the digest of each transcript, and a transcript that of each picture.
    """
    names = (MANIFEST, EPISODES, VOIDS, UNCOUNTED, SUMMARY)
    try:
        return sha256(canonical([[name, _digest(run, name)] for name in names])).hexdigest()
    except OSError:
        return ""


def _digest(run: Path, name: str) -> str:
    found = sha256()
    try:
        with open_plain(run / name, MOST_JOURNAL, within=run.parent) as file:
            while block := file.read(_BLOCK):
                found.update(block)
    except FileNotFoundError:
        return ""
    return found.hexdigest()
