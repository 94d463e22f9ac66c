"""Keeps what `houseguest verify` found: the last verification of each run.

It is not part of a run. A rebuild of the index keeps it; deleting its database does not.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from importlib.metadata import version

from sqlalchemy import select

from env_service.index.schema import RUNS, VERIFICATIONS
from env_service.index.store import Index


@dataclass(frozen=True, slots=True)
class NewVerification:
    """What was found in the run whose ``run_digest`` is ``digest``. ``path`` is its folder's name,
    the rest is as in the table."""

    run_id: str
    path: str
    passed: bool
    episodes: int
    replayed: int
    problems: int
    public_key: str
    digest: str


def record_verification(index: Index, found: NewVerification) -> None:
    """Replaces the run's last verification, unless that was a stricter one of the same files: one
    that passed after replaying more episodes. Raises IndexUnavailableError."""
    table = VERIFICATIONS.c
    same = (table.root == index.root) & (table.run_id == found.run_id)
    with index.write() as connection:
        last = connection.execute(select(VERIFICATIONS).where(same)).mappings().one_or_none()
        if (
            last is not None
            and last["digest"] == found.digest
            and last["passed"]
            and found.passed
            and last["replayed"] > found.replayed
        ):
            return
        connection.execute(VERIFICATIONS.delete().where(same))
        values = asdict(found) | {
            "root": index.root,
            "created": datetime.now(UTC).isoformat(timespec="seconds"),
            "houseguest": version("houseguest"),
        }
        connection.execute(VERIFICATIONS.insert().values(values))


def verified_after(index: Index, key: int) -> tuple[int, tuple[str, ...]]:
    """The paths of the runs whose verification is newer than number ``key``, and the newest
    number; the same number if there is none."""
    table = VERIFICATIONS.c
    newer = (
        select(table.id, RUNS.c.path)
        .join(RUNS, (RUNS.c.root == table.root) & (RUNS.c.run_id == table.run_id), isouter=True)
        .where(table.root == index.root, table.id > key)
    )
    with index.reading() as connection:
        rows = connection.execute(newer).all()
    paths = {path for _, path in rows if path is not None}
    return max((each for each, _ in rows), default=key), tuple(sorted(paths))
