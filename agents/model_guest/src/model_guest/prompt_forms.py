"""The forms of answers that a prompt.toml describes, and which of them is asked for."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from .answers.form import ENDINGS, FIELDS, AnswerForm, Form, Section

_FORM_KEYS = (
    *("form", "fields", "marker", "begin", "behind", "pattern", "sections", "endings"),
    "unlisted",
)
_SECTION_KEYS = ("start", "until", "header", "paragraph", "anywhere")
_VARIANTS = "where"


@dataclass(frozen=True, slots=True)
class FormChoice:
    """The forms of one mode: the usual one, and others by a setting and its value."""

    usual: AnswerForm
    others: Mapping[tuple[str, str], AnswerForm]

    def form(self, settings: Mapping[str, str]) -> AnswerForm:
        """The form under these settings."""
        found = (form for (name, value), form in self.others.items() if settings[name] == value)
        return next(found, self.usual)


def read_forms(
    table: Mapping[str, Any], name: str, settings: Mapping[str, tuple[str, ...]]
) -> FormChoice:
    """Reads the table of one mode, which the file calls ``name``.

    ``settings`` are the values of all settings. Raises ValueError.
    """
    known(table, (*_FORM_KEYS, _VARIANTS), name)
    others = {}
    for setting, by_value in table.get(_VARIANTS, {}).items():
        one_of(setting, tuple(settings), f"{name}.{_VARIANTS}")
        for value, each in by_value.items():
            place = f"{name}.{_VARIANTS}.{setting}"
            one_of(value, settings[setting], place)
            known(each, _FORM_KEYS, f"{place}.{value}")
            others[setting, value] = _form(each, f"{place}.{value}")
    return FormChoice(_form(table, name), others)


def _form(table: Mapping[str, Any], name: str) -> AnswerForm:
    sections = {}
    for title, each in table.get("sections", {}).items():
        one_of(title, FIELDS, f"{name}.sections")
        sections[title] = _section(each, f"{name}.sections.{title}")
    fields = tuple(table.get("fields", ("thought",)))
    endings = tuple(table.get("endings", ()))
    for each in fields:
        one_of(each, FIELDS, f"{name}.fields")
    for ending in endings:
        one_of(ending, ENDINGS, f"{name}.endings")
    return AnswerForm(
        form=Form(table.get("form", "json")),
        fields=fields,
        marker=str(table.get("marker", "")),
        begin=str(table.get("begin", "")),
        pattern=_pattern(table["pattern"], name) if "pattern" in table else None,
        sections=sections,
        endings=endings,
        behind=str(table.get("behind", "")),
        unlisted=tuple(map(str, table.get("unlisted", ()))),
    )


def _section(table: Mapping[str, Any], name: str) -> Section:
    known(table, _SECTION_KEYS, name)
    return Section(
        text(table, "start"),
        tuple(table.get("until", ())),
        header=bool(table.get("header", False)),
        paragraph=bool(table.get("paragraph", False)),
        anywhere=bool(table.get("anywhere", False)),
    )


def _pattern(pattern: Any, name: str) -> re.Pattern[str]:
    try:
        compiled = re.compile(pattern)
    except re.error as error:
        raise ValueError(f"{name}.pattern is no regular expression: {error}") from error
    if compiled.groups < 1:
        raise ValueError(f"{name}.pattern needs a group: what it holds is the action")
    return compiled


def known(table: Mapping[str, Any], keys: tuple[str, ...], where: str) -> None:
    """Raises ValueError for a key that is none of ``keys``."""
    for key in table:
        one_of(key, keys, where or "the file")


def one_of(name: str, names: tuple[str, ...], where: str) -> None:
    """Raises ValueError unless ``name`` is one of ``names``."""
    if name not in names:
        raise ValueError(f"{where}: unknown name {name!r}; known: {', '.join(names)}")


def text(table: Mapping[str, Any], key: str) -> str:
    """A text that has to be there and not empty. Raises ValueError."""
    value = table.get(key)
    if not isinstance(value, str) or not value:
        raise ValueError(f"{key} has to be a text")
    return value
