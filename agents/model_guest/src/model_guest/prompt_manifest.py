"""prompt.toml: what a prompt set says of itself."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

from houseguest_agent import Mode

from .answers.form import ENDINGS, FIELDS, AnswerForm, Form, Section

MANIFEST = "prompt.toml"
OFF = "off"
"""A setting named as a field of the reply, with this value, leaves the field out."""

Layout = Literal["chat", "single"]
_MODES = {Mode.STEPWISE: "stepwise", Mode.PLAN: "plan", Mode.ANSWER: "answer"}
_TOP = ("version", "description", "layout", "history", "settings", *_MODES.values())
_FORM_KEYS = ("form", "fields", "marker", "sections", "endings")


class PromptError(ValueError):
    """A prompt set that cannot be used; the message names the folder and what is wrong."""


@dataclass(frozen=True, slots=True)
class PromptSetting:
    """Something a user may choose; the first value is the default."""

    description: str
    values: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class PromptManifest:
    """The contents of prompt.toml.

    ``layout``: "chat" gives each turn messages of its own, "single" puts the whole history
    into one. ``history`` and ``pictures``: how many past turns are shown, and how many of
    them with their pictures; None: every one.
    """

    folder: Path
    version: str
    description: str
    layout: Layout
    history: int | None
    pictures: int | None
    settings: Mapping[str, PromptSetting]
    forms: Mapping[Mode, AnswerForm]

    def choose(self, chosen: Mapping[str, str]) -> dict[str, str]:
        """Every setting's value. Raises PromptError for a name or a value not on offer."""
        for name, value in chosen.items():
            if name not in self.settings:
                offered = ", ".join(self.settings) or "none"
                raise PromptError(f"{self.folder} has no setting {name!r}; it has: {offered}")
            if value not in self.settings[name].values:
                offered = ", ".join(self.settings[name].values)
                raise PromptError(
                    f"{self.folder}: the setting {name} cannot be {value!r}; values: {offered}"
                )
        return {
            name: chosen.get(name, setting.values[0]) for name, setting in self.settings.items()
        }

    def answer_form(self, mode: Mode, *chosen: Mapping[str, str]) -> AnswerForm:
        """The form of the answers in a mode.

        A field is left out that any of ``chosen`` (the settings, an episode's condition)
        names as OFF.
        """
        form = self.forms.get(mode, AnswerForm())
        out = {name for each in chosen for name, value in each.items() if value == OFF}
        fields = tuple(name for name in form.fields if name not in out)
        sections = {name: each for name, each in form.sections.items() if name not in out}
        return replace(form, fields=fields, sections=sections)


def read_manifest(folder: Path) -> PromptManifest:
    """Reads a folder's prompt.toml. Raises PromptError."""
    path = folder / MANIFEST
    try:
        table = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise PromptError(f"cannot read the prompt set {path}: {error}") from error
    try:
        return _read(folder, table)
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        raise PromptError(f"{path}: {error}") from error


def _read(folder: Path, table: Mapping[str, Any]) -> PromptManifest:
    _known(table, _TOP, "")
    layout = table.get("layout", "chat")
    if layout not in ("chat", "single"):
        raise ValueError(f"layout has to be chat or single, not {layout!r}")
    history = table.get("history", {})
    _known(history, ("turns", "pictures"), "history")
    return PromptManifest(
        folder=folder,
        version=_text(table, "version"),
        description=_text(table, "description"),
        layout=layout,
        history=_count(history, "turns", None),
        pictures=_count(history, "pictures", 0),
        settings={n: _setting(n, each) for n, each in table.get("settings", {}).items()},
        forms={mode: _form(table.get(name, {}), name) for mode, name in _MODES.items()},
    )


def _form(table: Mapping[str, Any], name: str) -> AnswerForm:
    _known(table, _FORM_KEYS, name)
    sections = {}
    for field, each in table.get("sections", {}).items():
        _one_of(field, FIELDS, f"{name}.sections")
        _known(each, ("start", "until"), f"{name}.sections.{field}")
        sections[field] = Section(_text(each, "start"), tuple(each.get("until", ())))
    fields = tuple(table.get("fields", ("thought",)))
    endings = tuple(table.get("endings", ()))
    for field in fields:
        _one_of(field, FIELDS, f"{name}.fields")
    for ending in endings:
        _one_of(ending, ENDINGS, f"{name}.endings")
    return AnswerForm(
        form=Form(table.get("form", "json")),
        fields=fields,
        marker=str(table.get("marker", "")),
        sections=sections,
        endings=endings,
    )


def _setting(name: str, table: Mapping[str, Any]) -> PromptSetting:
    _known(table, ("description", "values"), f"settings.{name}")
    values = tuple(map(str, table["values"]))
    if not values:
        raise ValueError(f"settings.{name}: values is empty")
    return PromptSetting(_text(table, "description"), values)


def _known(table: Mapping[str, Any], keys: tuple[str, ...], where: str) -> None:
    for key in table:
        _one_of(key, keys, where or "the file")


def _one_of(name: str, known: tuple[str, ...], where: str) -> None:
    if name not in known:
        raise ValueError(f"{where}: unknown name {name!r}; known: {', '.join(known)}")


def _text(table: Mapping[str, Any], key: str) -> str:
    value = table.get(key)
    if not isinstance(value, str) or not value:
        raise ValueError(f"{key} has to be a text")
    return value


def _count(table: Mapping[str, Any], key: str, default: int | None) -> int | None:
    value = table.get(key, default)
    if value is None or value == "all":
        return None
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        raise ValueError(f'history.{key} has to be "all" or a number from 0, not {value!r}')
    return value
