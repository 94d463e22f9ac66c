"""What people said about episodes: tags and comments, which the index keeps.

They are not part of a run. A rebuild of the index keeps them; deleting its database does not.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable
from dataclasses import asdict, dataclass, fields
from datetime import UTC, datetime

from sqlalchemy import func, select

from env_service.index.schema import ANNOTATIONS
from env_service.index.store import Index

LONGEST_TAG = 64
LONGEST_COMMENT = 4000
MOST_ANNOTATIONS = 100_000
"""Of one folder of runs."""


class AnnotationError(ValueError):
    """An annotation that is not kept. The message says why."""


@dataclass(frozen=True, slots=True)
class NewAnnotation:
    """What a person says about an episode, or about a step of it, from 0."""

    run: str
    episode_id: str
    step: int | None
    tag: str
    comment: str


@dataclass(frozen=True, slots=True)
class AnnotationRow:
    """A tag, a comment or both, on an episode or a step of it.

    ``step`` counts from 0; None is the whole episode. ``created`` is ISO 8601, UTC.
    """

    id: int
    run: str
    episode_id: str
    step: int | None
    tag: str
    comment: str
    created: str


def annotations_of(
    index: Index, *, run: str = "", episode_id: str = "", tag: str = ""
) -> tuple[AnnotationRow, ...]:
    """The annotations of a folder of runs, the oldest first; an empty filter leaves none out."""
    chosen = select(ANNOTATIONS).where(ANNOTATIONS.c.root == index.root)
    for column, value in (("path", run), ("episode_id", episode_id), ("tag", tag)):
        if value:
            chosen = chosen.where(ANNOTATIONS.c[column] == value)
    with index.reading() as connection:
        rows = connection.execute(chosen.order_by(ANNOTATIONS.c.id)).mappings().all()
    return tuple(
        AnnotationRow(
            id=row["id"],
            run=row["path"],
            episode_id=row["episode_id"],
            step=row["step"],
            tag=row["tag"],
            comment=row["comment"],
            created=row["created"],
        )
        for row in rows
    )


def add_annotation(index: Index, asked: NewAnnotation) -> AnnotationRow:
    """Keeps an annotation. Raises AnnotationError for texts that are empty or too long, and where
    there are too many."""
    tag, comment = " ".join(asked.tag.split()), asked.comment
    if not tag and not comment.strip():
        raise AnnotationError("give a tag or a comment")
    if len(tag) > LONGEST_TAG or len(comment) > LONGEST_COMMENT:
        raise AnnotationError(
            f"a tag has at most {LONGEST_TAG} characters, a comment {LONGEST_COMMENT}"
        )
    if "\0" in tag + comment or not _is_unicode(tag + comment):
        raise AnnotationError("the text is not valid Unicode")
    created = datetime.now(UTC).isoformat(timespec="seconds")
    with index.write() as connection:
        counted = select(func.count(ANNOTATIONS.c.id)).where(ANNOTATIONS.c.root == index.root)
        if connection.execute(counted).scalar_one() >= MOST_ANNOTATIONS:
            raise AnnotationError(f"there are {MOST_ANNOTATIONS} annotations: delete some first")
        made = ANNOTATIONS.insert().values(
            root=index.root,
            path=asked.run,
            episode_id=asked.episode_id,
            step=asked.step,
            tag=tag,
            comment=comment,
            created=created,
        )
        key = connection.execute(made.returning(ANNOTATIONS.c.id)).scalar_one()
    return AnnotationRow(key, asked.run, asked.episode_id, asked.step, tag, comment, created)


def delete_annotation(index: Index, key: int) -> bool:
    """Forgets an annotation; False if there is none of that ``id``."""
    with index.write() as connection:
        gone = connection.execute(
            ANNOTATIONS.delete().where(ANNOTATIONS.c.root == index.root, ANNOTATIONS.c.id == key)
        )
        return gone.rowcount > 0


def as_csv(rows: Iterable[AnnotationRow]) -> str:
    """The annotations as CSV with a header."""
    text = io.StringIO()
    writer = csv.DictWriter(text, [each.name for each in fields(AnnotationRow)])
    writer.writeheader()
    # A program for tables runs a cell that begins like a formula.
    writer.writerows({name: _cell(value) for name, value in asdict(each).items()} for each in rows)
    return text.getvalue()


def _cell(value: object) -> object:
    return f"'{value}" if isinstance(value, str) and value[:1] in "=+-@\t\r" and value else value


def _is_unicode(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
