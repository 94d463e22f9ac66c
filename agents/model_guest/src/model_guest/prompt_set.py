"""Prompt sets: folders with the templates that a model's prompts are made of."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from houseguest_agent import Episode, Mode
from jinja2 import FileSystemLoader, StrictUndefined, TemplateError
from jinja2.sandbox import ImmutableSandboxedEnvironment

from .answers.form import AnswerForm
from .examples import ExampleDrawer, ExampleOptions, PoolError, Shown, read_pool
from .prompt_manifest import MANIFEST, OFF, PromptError, PromptManifest, read_manifest

SHELF = Path(__file__).parent / "prompts"
"""The package's own prompt sets, a folder each, by suite."""
DEFAULT = "default"
"""The set for a suite that has none of its own; also lends others what they leave out."""

TEMPLATES = ("system", "task", "turn", "caption", "reply", "past", "omitted", "ask", "retry")
SUFFIX = ".jinja"


class PromptSet:
    """One folder of templates, ready to be filled in.

    Texts of the house and the model are data: whatever stands in them, they are inserted as
    they are. Templates run in Jinja's sandbox, and a name that is not given is an error.
    """

    def __init__(
        self,
        folder: Path,
        chosen: Mapping[str, str] | None = None,
        examples: ExampleOptions | None = None,
    ) -> None:
        """``chosen`` are the user's prompt settings, ``examples`` what the user says of these.
        Raises PromptError."""
        self.folder = folder
        self.manifest: PromptManifest = read_manifest(folder)
        self._chosen = dict(chosen or {})
        self.settings = self.manifest.choose(self._chosen)
        self.digest = _digest(folder)
        self._drawer = _open_examples(self.manifest, examples or ExampleOptions())
        loader = FileSystemLoader([folder, SHELF / DEFAULT])
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

    @property
    def name(self) -> str:
        """The folder's name."""
        return self.folder.name

    def render(self, template: str, **values: Any) -> str:
        """Fills a template in; stripped of white space around it. Raises PromptError."""
        try:
            return self._templates[template].render(**values).strip()
        except Exception as error:
            raise PromptError(
                f"the prompt set {self.folder}, {template}{SUFFIX}: {_explain(error)}"
            ) from error

    def answer_form(self, mode: Mode, condition: Mapping[str, str]) -> AnswerForm:
        """What this set asks for in a mode of play, under the chosen settings."""
        return self.manifest.answer_form(mode, self.settle(condition), condition)

    def settle(self, condition: Mapping[str, str]) -> dict[str, str]:
        """Every setting's value in an episode: as the user chose, else as the episode's condition
        says for a setting of that name, else the default."""
        return self.manifest.settle(self._chosen, condition)

    def examples(self, episode: Episode) -> tuple[Shown, ...]:
        """The solved tasks that an episode's prompt shows; none where the setting ``examples`` is
        off, or where the set has none."""
        if self._drawer is None or self.settle(episode.condition).get("examples") == OFF:
            return ()
        return self._drawer.draw(episode.instruction)

    @property
    def drawn(self) -> str:
        """How examples are drawn, and from what; empty where the set has none."""
        return self._drawer.describe() if self._drawer is not None else ""

    def configuration(self) -> dict[str, str]:
        """What is declared with a run."""
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
    ) -> None:
        """``folder``: a prompt set for every suite; None takes the package's own. ``examples``
        goes to the sets that have some. Raises PromptError, also for settings that no set
        offers."""
        self._chosen, self._examples = dict(chosen), examples
        self._one = PromptSet(folder, chosen, examples) if folder is not None else None
        self._found: dict[str, PromptSet] = {}
        if folder is None:
            self._check_settings()

    def _check_settings(self) -> None:
        manifests = [read_manifest(each.parent) for each in SHELF.glob(f"*/{MANIFEST}")]
        for name, value in self._chosen.items():
            offering = [manifest for manifest in manifests if name in manifest.settings]
            if not offering:
                offered = sorted({each for manifest in manifests for each in manifest.settings})
                raise PromptError(
                    f"no prompt set has a setting {name!r}; there are: {', '.join(offered)}"
                )
            if not any(value in manifest.settings[name].values for manifest in offering):
                offering[0].choose({name: value})

    def find(self, suite: str) -> PromptSet:
        """The set for a suite. Raises PromptError."""
        if self._one is not None:
            return self._one
        if suite not in self._found:
            safe = suite.isidentifier() and (SHELF / suite / MANIFEST).is_file()
            folder = SHELF / (suite if safe else DEFAULT)
            offered = read_manifest(folder).settings
            chosen = {name: value for name, value in self._chosen.items() if name in offered}
            self._found[suite] = PromptSet(folder, chosen, self._examples)
        return self._found[suite]

    def configuration(self) -> dict[str, str]:
        """What is declared before any episode is known: the set, or all that might be used."""
        if self._one is not None:
            return self._one.configuration()
        names = sorted(path.parent.name for path in SHELF.glob(f"*/{MANIFEST}"))
        sets = [PromptSet(SHELF / name, None, self._examples) for name in names]
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
    for root in (SHELF / DEFAULT, folder):
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
