"""prompt.toml: the settings of a prompt set, and the forms of answers that it asks for."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

from houseguest_agent import Mode

from .answers.reader import ENDINGS, FIELDS, AnswerForm, Form, Section

MANIFEST = "prompt.toml"
OFF = "off"
"""A setting that is named like a field of the reply and has this value removes the field."""

Layout = Literal["chat", "single"]
_MODES = {Mode.STEPWISE: "stepwise", Mode.PLAN: "plan", Mode.ANSWER: "answer"}
_TOP = ("version", "description", "layout", "history", "settings", "examples", *_MODES.values())
_PARAGRAPHS, _LINES = "\n\n", "\n"


class PromptError(ValueError):
    """A prompt set that cannot be used; the message names the folder and what is wrong."""


@dataclass(frozen=True, slots=True)
class PromptSetting:
    """A setting with values for the user to choose from; the first value is the default."""

    description: str
    values: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ExampleShelf:
    """A prompt set's own examples: ``file``, a pool next to prompt.toml; how many of them to show
    by default; and the order of the types."""

    file: Path
    count: int
    types: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class PromptManifest:
    """The contents of prompt.toml.

    Attributes:
        layout: "chat" gives each turn separate messages, "single" puts the whole history into one.
        between: In the layout "single", the text between two past turns, by default a blank line.
        history: How many past turns to show; None for all.
        pictures: How many past turns to show with their pictures; None for all.
        repeats: Whether to show a turn's pictures if they equal those of the turn before, which
            is shown with them.
        examples: None if the templates get no examples.
    """

    folder: Path
    version: str
    description: str
    layout: Layout
    history: int | None
    pictures: int | None
    between: str
    settings: Mapping[str, PromptSetting]
    forms: Mapping[Mode, FormChoice]
    examples: ExampleShelf | None = None
    repeats: bool = True

    def choose(self, chosen: Mapping[str, str]) -> dict[str, str]:
        """Every setting's value. Raises PromptError for an unknown name or value."""
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

    def settle(self, chosen: Mapping[str, str], condition: Mapping[str, str]) -> dict[str, str]:
        """Every setting's value in an episode: the chosen one, else the value of the condition's
        setting of that name, else the default.

        A field that the condition sets to OFF stays OFF, whatever is chosen. Raises what
        ``choose`` raises.
        """
        disclosed = {
            name: condition[name]
            for name, setting in self.settings.items()
            if condition.get(name) in setting.values
        }
        forbidden = {name: OFF for name in FIELDS if disclosed.get(name) == OFF}
        return self.choose({**disclosed, **chosen, **forbidden})

    def answer_form(
        self, mode: Mode, settings: Mapping[str, str], condition: Mapping[str, str]
    ) -> AnswerForm:
        """The form of the answers in a mode.

        A field is omitted if the settings or the episode's condition set it to OFF: no setting
        restores what a condition forbids.
        """
        form = self.forms[mode].form(settings)
        both = (*settings.items(), *condition.items())
        out = {name for name, value in both if value == OFF}
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
    known(table, _TOP, "")
    layout = table.get("layout", "chat")
    if layout not in ("chat", "single"):
        raise ValueError(f"layout must be chat or single, not {layout!r}")
    history = table.get("history", {})
    known(history, ("turns", "pictures", "repeats", "compact", "between"), "history")
    settings = {name: _setting(name, each) for name, each in table.get("settings", {}).items()}
    values = {name: setting.values for name, setting in settings.items()}
    return PromptManifest(
        folder=folder,
        version=text(table, "version"),
        description=text(table, "description"),
        layout=layout,
        history=_count(history, "turns", None, "history"),
        pictures=_count(history, "pictures", 0, "history"),
        between=_between(history),
        settings=settings,
        forms={
            mode: read_forms(table.get(name, {}), name, values) for mode, name in _MODES.items()
        },
        examples=_examples(folder, table["examples"]) if "examples" in table else None,
        repeats=_repeats(history),
    )


def _repeats(history: Mapping[str, Any]) -> bool:
    said = history.get("repeats", True)
    if not isinstance(said, bool):
        raise ValueError(f"history.repeats must be true or false, not {said!r}")
    return said


def _between(history: Mapping[str, Any]) -> str:
    return str(history.get("between", _LINES if history.get("compact", False) else _PARAGRAPHS))


def _examples(folder: Path, table: Mapping[str, Any]) -> ExampleShelf:
    known(table, ("file", "count", "types"), "examples")
    count = _count(table, "count", 0, "examples")
    if count is None:
        raise ValueError("examples.count must be a number")
    types = tuple(map(str, table.get("types", ())))
    return ExampleShelf(folder / text(table, "file"), count, types)


def _setting(name: str, table: Mapping[str, Any]) -> PromptSetting:
    known(table, ("description", "values"), f"settings.{name}")
    values = tuple(map(str, table["values"]))
    if not values:
        raise ValueError(f"settings.{name}: values is empty")
    return PromptSetting(text(table, "description"), values)


def _count(table: Mapping[str, Any], key: str, default: int | None, where: str) -> int | None:
    value = table.get(key, default)
    if value is None or value == "all":
        return None
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        raise ValueError(f'{where}.{key} must be "all" or a number of 0 or more, not {value!r}')
    return value


# --- The forms of answers in a prompt.toml, and the choice among them

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

    ``settings`` holds the values of all settings. Raises ValueError.
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
        raise ValueError(f"{name}.pattern is not a regular expression: {error}") from error
    if compiled.groups < 1:
        raise ValueError(f"{name}.pattern needs a group that contains the action")
    return compiled


def known(table: Mapping[str, Any], keys: tuple[str, ...], where: str) -> None:
    """Raises ValueError for a key that is not in ``keys``."""
    for key in table:
        one_of(key, keys, where or "the file")


def one_of(name: str, names: tuple[str, ...], where: str) -> None:
    """Raises ValueError unless ``name`` is one of ``names``."""
    if name not in names:
        raise ValueError(f"{where}: unknown name {name!r}; known: {', '.join(names)}")


def text(table: Mapping[str, Any], key: str) -> str:
    """A required non-empty text. Raises ValueError."""
    value = table.get(key)
    if not isinstance(value, str) or not value:
        raise ValueError(f"{key} must be a text")
    return value
