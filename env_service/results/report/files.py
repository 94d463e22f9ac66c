"""Writes a report's files."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator
from pathlib import Path

from env_service.plain_files import MOST_GIVEN, read_plain
from env_service.results.atomic import document as json_document
from env_service.results.atomic import write_atomically
from env_service.results.report.episode_sheet import FILE as EPISODES
from env_service.results.report.episode_sheet import episodes_csv
from env_service.results.report.model import Document, FigureData, Section
from env_service.results.report.page import Drawn, as_page
from env_service.results.report.sheets import as_csv

FORMATS = ("html", "csv", "svg", "png")
CONTENTS = "report.json"
"""The file that lists the others, and holds all numbers; a folder of ours is known by it."""
PAGE = "index.html"


class ReportFolderError(Exception):
    """A folder cannot take a report; the message says why."""


def write_report(document: Document, folder: Path, formats: Collection[str]) -> list[Path]:
    """Writes the report in some of FORMATS, and CONTENTS; returns the paths, the page first.

    Files of an earlier report in the same folder that this one lacks are removed. Raises
    ReportFolderError where the folder holds something else, or cannot be written.
    """
    earlier = _contents(folder)
    files = dict(_files(document, formats))
    contents = json_document(document.to_json() | {"files": [*files]})
    try:
        folder.mkdir(parents=True, exist_ok=True)
        # First, so that a folder that is not whole is known for ours.
        write_atomically(folder / CONTENTS, contents)
        for name, data in files.items():
            write_atomically(folder / name, data)
        for name in set(earlier) - set(files):
            (folder / name).unlink(missing_ok=True)
    except OSError as error:
        raise ReportFolderError(
            f"{folder} cannot be written: {error.strerror}. Name another folder with --out, or"
            " have the text alone with --format text."
        ) from error
    return [folder / name for name in files]


def _contents(folder: Path) -> list[str]:
    """The files of the report that the folder holds already."""
    if not folder.exists() or (folder.is_dir() and not any(folder.iterdir())):
        return []
    try:
        listed = json.loads(read_plain(folder / CONTENTS, MOST_GIVEN, within=folder))["files"]
        return [name for name in listed if _is_ours(name)]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise ReportFolderError(
            f"{folder} is there already and holds no report: name another folder with --out."
        ) from error


def _is_ours(name: object) -> bool:
    """Whether a listed file could be one of a report's: the list may have been changed."""
    if not isinstance(name, str) or Path(name).name != name:
        return False
    return Path(name).suffix.removeprefix(".") in FORMATS


def _files(document: Document, formats: Collection[str]) -> Iterator[tuple[str, bytes]]:
    pictures: dict[tuple[str, str], Drawn] = {}
    drawn = []
    if {"html", "svg", "png"} & set(formats):
        from env_service.results.report.plotting import (  # noqa: PLC0415 - slow to import
            NARROW,
            draw,
        )

        for section, figure in _figures(document):
            name = file_name(document, section, figure.id)
            picture = draw(figure.drawing, name, png="png" in formats, label=document.label)
            drawn.append((name, picture))
            if "html" in formats:
                small = draw(
                    figure.drawing, f"{name}-narrow", png=False, label=document.label, room=NARROW
                )
                pictures[section.id, figure.id] = Drawn(picture.svg, small.svg)
    if "html" in formats:
        yield PAGE, as_page(document, pictures).encode()
    if "csv" in formats:
        for section in document.sections:
            for table in section.tables():
                yield (
                    f"{file_name(document, section, table.id)}.csv",
                    as_csv(table, document.label).encode(),
                )
        yield EPISODES, episodes_csv(document.runs, document.label).encode()
    for name, picture in drawn:
        if "svg" in formats:
            yield f"{name}.svg", picture.svg.encode()
        if picture.png is not None:
            yield f"{name}.png", picture.png


def file_name(document: Document, section: Section, item: str) -> str:
    """What the files of a table or figure are called, without the suffix."""
    return item if len(document.sections) == 1 else f"{section.id}-{item}"


def _figures(document: Document) -> Iterator[tuple[Section, FigureData]]:
    for section in document.sections:
        for figure in section.figures():
            yield section, figure
