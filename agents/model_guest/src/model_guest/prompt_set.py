"""Prompt sets: folders with the templates of a model's prompts."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping
from importlib.metadata import entry_points
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from houseguest_agent import Episode, Mode
from jinja2 import FileSystemLoader, StrictUndefined, TemplateError
from jinja2.sandbox import ImmutableSandboxedEnvironment

from .answers.reader import AnswerForm
from .examples import ExampleDrawer, ExampleOptions, PoolError, Shown, read_pool
from .notices import Log, notice
from .prompt_manifest import MANIFEST, OFF, PromptError, PromptManifest, read_manifest

DEFAULT = "default"
"""The set for suites without one; it also supplies what other sets omit."""
DEFAULT_FOLDER = Path(__file__).parent / "prompts" / DEFAULT

GROUP = "houseguest.prompts"
"""The entry points with which distributions name their suites' prompt sets (docs/extend.md)."""
VARIABLE = "HOUSEGUEST_PROMPTS"
"""The variable for a folder with one prompt set per suite, in subfolders named after suites."""

TEMPLATES = ("system", "task", "turn", "caption", "reply", "past", "omitted", "ask", "retry")
SUFFIX = ".jinja"


def prompt_folders(environment: Mapping[str, str] = os.environ) -> dict[str, Path]:
    """The folders of all prompt sets by the name of their suite, in alphabetical order.

    A set in the folder that VARIABLE names takes precedence over one that a distribution
    registers. This imports nothing from any distribution.
    """
    found = {DEFAULT: DEFAULT_FOLDER}
    for entry in entry_points(group=GROUP):
        folder = _data_folder(entry.value)
        if folder is not None:
            found.setdefault(entry.name, folder)
    if place := environment.get(VARIABLE):
        found |= {each.parent.name: each.parent for each in Path(place).glob(f"*/{MANIFEST}")}
    return dict(sorted(found.items()))


def _data_folder(path: str) -> Path | None:
    """The prompt set behind a dotted path, such as "my_suite.prompts"; None if there is none."""
    package, *below = path.split(".")
    spec = find_spec(package)
    places = (spec.submodule_search_locations if spec is not None else None) or ()
    folders = (Path(each, *below) for each in places)
    return next((each for each in folders if (each / MANIFEST).is_file()), None)


class PromptSet:
    """One folder of templates, ready to be rendered.

    Texts of the service and the model are data: they are inserted unchanged, whatever they
    contain. Templates run in Jinja's sandbox, and an undefined name is an error.
    """

    def __init__(
        self,
        folder: Path,
        chosen: Mapping[str, str] | None = None,
        examples: ExampleOptions | None = None,
        name: str = "",
    ) -> None:
        """``chosen`` holds the user's prompt settings, ``examples`` the user's options for them.

        ``name`` is the name in results; empty for the folder's. Raises PromptError.
        """
        self.folder, self.name = folder, name or folder.name
        self.manifest: PromptManifest = read_manifest(folder)
        self._chosen = dict(chosen or {})
        self.settings = self.manifest.choose(self._chosen)
        self.digest = _digest(folder)
        self._drawer = _open_examples(self.manifest, examples or ExampleOptions())
        loader = FileSystemLoader([folder, DEFAULT_FOLDER])
        environment = ImmutableSandboxedEnvironment(
            loader=loader,
            undefined=StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
            autoescape=False,
        )
        environment.filters["json"] = _to_json
        environment.globals["settings"] = self.settings
        try:
            self._templates = {name: environment.get_template(name + SUFFIX) for name in TEMPLATES}
        except TemplateError as error:
            raise PromptError(f"the prompt set {folder}: {_explain(error)}") from error

    def render(self, template: str, **values: Any) -> str:
        """Renders a template and strips white space around it. Raises PromptError."""
        try:
            return self._templates[template].render(**values).strip()
        except Exception as error:
            raise PromptError(
                f"the prompt set {self.folder}, {template}{SUFFIX}: {_explain(error)}"
            ) from error

    def answer_form(self, mode: Mode, condition: Mapping[str, str]) -> AnswerForm:
        """The form that this set asks for in a mode, under the chosen settings."""
        return self.manifest.answer_form(mode, self.settle(condition), condition)

    def settle(self, condition: Mapping[str, str]) -> dict[str, str]:
        """Every setting's value in an episode: the user's choice, else the value of the episode's
        condition of that name, else the default."""
        return self.manifest.settle(self._chosen, condition)

    def examples(self, episode: Episode) -> tuple[Shown, ...]:
        """The solved tasks in an episode's prompt; none if the setting ``examples`` is off, or
        the set has none."""
        if self._drawer is None or self.settle(episode.condition).get("examples") == OFF:
            return ()
        return self._drawer.draw(episode.instruction)

    @property
    def drawn(self) -> str:
        """How examples are drawn, and from which pool; empty if the set has none."""
        return self._drawer.describe() if self._drawer is not None else ""

    def configuration(self) -> dict[str, str]:
        """The declaration stored with a run."""
        declared = {
            "prompts": f"{self.name} {self.manifest.version}",
            "prompts_sha256": self.digest,
        }
        if self.drawn:
            declared["examples"] = self.drawn
        return declared | {f"prompt.{name}": value for name, value in self.settings.items()}


class PromptLibrary:
    """Finds the prompt set of a suite. Safe to use from several threads once it has found."""

    def __init__(
        self,
        folder: Path | None,
        chosen: Mapping[str, str],
        examples: ExampleOptions | None = None,
        log: Log | None = None,
    ) -> None:
        """``folder`` is a prompt set for every suite; None uses each suite's own.

        Sets with examples get ``examples``. ``log`` reports a suite without a prompt set. Raises
        PromptError, also for settings that no set offers.
        """
        self._chosen, self._examples, self._log = dict(chosen), examples, log
        self._folders = prompt_folders() if folder is None else {}
        self._one = PromptSet(folder, chosen, examples) if folder is not None else None
        self._found: dict[str, PromptSet] = {}
        if folder is None:
            self._check_settings()

    def _check_settings(self) -> None:
        manifests = list(map(read_manifest, self._folders.values()))
        for name, value in self._chosen.items():
            offering = [manifest for manifest in manifests if name in manifest.settings]
            if not offering:
                offered = sorted({each for manifest in manifests for each in manifest.settings})
                raise PromptError(
                    f"no prompt set has a setting {name!r}; settings: {', '.join(offered)}"
                )
            if not any(value in manifest.settings[name].values for manifest in offering):
                offering[0].choose({name: value})

    def find(self, suite: str) -> PromptSet:
        """The set for a suite. Raises PromptError."""
        if self._one is not None:
            return self._one
        if suite not in self._found:
            if suite not in self._folders and self._log is not None:
                self._log(notice(self._lacks(suite)))
            name = suite if suite in self._folders else DEFAULT
            folder = self._folders[name]
            offered = read_manifest(folder).settings
            chosen = {each: value for each, value in self._chosen.items() if each in offered}
            self._found[suite] = PromptSet(folder, chosen, self._examples, name)
        return self._found[suite]

    def _lacks(self, suite: str) -> str:
        place = os.environ.get(VARIABLE)
        return (
            f"no prompts for the suite {suite}: using the prompt set {DEFAULT!r}. Searched the"
            f" entry points {GROUP} of the installed distributions and"
            f" {place or 'no folder'} ({VARIABLE}); found: {', '.join(self._folders)}. Install the"
            f" suite's distribution, set {VARIABLE} to a folder that contains a folder {suite}, or"
            " pass --prompts DIR."
        )

    def configuration(self) -> dict[str, str]:
        """The declaration before any episode is known: the set, or all sets that might be used."""
        if self._one is not None:
            return self._one.configuration()
        sets = [
            PromptSet(folder, None, self._examples, name) for name, folder in self._folders.items()
        ]
        drawn = {f"examples.{each.name}": each.drawn for each in sets if each.drawn}
        return {f"prompts.{each.name}": _brief(each) for each in sets} | drawn


def _open_examples(manifest: PromptManifest, options: ExampleOptions) -> ExampleDrawer | None:
    shelf = manifest.examples
    if shelf is None:
        return None
    try:
        pool = read_pool(options.file or shelf.file)
        return ExampleDrawer(pool, options, shelf.count, shelf.types)
    except PoolError as error:
        raise PromptError(str(error)) from error


def _brief(prompts: PromptSet) -> str:
    return f"{prompts.manifest.version} sha256:{prompts.digest}"


def _digest(folder: Path) -> str:
    """SHA-256 (hex) over the folder's files, and over those of the default set that it lacks."""
    files: dict[str, Path] = {}
    for root in (DEFAULT_FOLDER, folder):
        for path in root.rglob("*"):
            if path.is_file() and (root == folder or path.suffix == SUFFIX):
                files[path.relative_to(root).as_posix()] = path
    digest = hashlib.sha256()
    for name in sorted(files):
        content = hashlib.sha256(files[name].read_bytes()).hexdigest()
        digest.update(f"{name}\0{content}\n".encode())
    return digest.hexdigest()


def _to_json(value: Any, indent: int | None = None) -> str:
    return json.dumps(value, ensure_ascii=False, indent=indent)


def _explain(error: Exception) -> str:
    line = getattr(error, "lineno", None)
    where = f"line {line}: " if line else ""
    return f"{where}{type(error).__name__}: {error}"
