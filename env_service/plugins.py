"""Plug-ins: suites, worlds, agents, commands, data packs and other parts that are entry points.

A plug-in is an entry point of a distribution, in a group of ``Group``. Houseguest registers its
own plug-ins in ``pyproject.toml`` too, and in no other way. A plug-in is imported on first use, so
unused plug-ins cost nothing.

docs/extend.md describes what an entry point of each group leads to.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from importlib import import_module
from importlib.metadata import EntryPoint, distributions
from importlib.util import find_spec
from pathlib import Path
from types import MappingProxyType
from typing import Any

from env_service.domain.names import UnknownNameError


class Group(StrEnum):
    """The groups of entry points. Each member's docstring says what its entry points lead to."""

    SUITES = "houseguest.suites"
    """A class that implements ``env_service.suites.base.Suite`` and is called without arguments."""
    WORLDS = "houseguest.worlds"
    """An object or a module that implements ``env_service.worlds.base.World``."""
    AGENTS = "houseguest.agents"
    """A package whose folder contains an ``agent.toml``, or the ``Path`` of such a folder, or None
    if an installation has no such agent. The entry point's name is the folder's."""
    COMMANDS = "houseguest.commands"
    """An ``env_service.cli.command.Command``."""
    DATA_PACKS = "houseguest.data_packs"
    """A package whose folder contains ``NAME.toml`` and ``NAME.sums``, where NAME is the entry
    point's name."""
    DOCTOR_CHECKS = "houseguest.doctor_checks"
    """An ``env_service.doctor.registry.DoctorCheck``. These checks run after the core's, in the
    order of the entry points' names."""
    CONFORMANCE_SAMPLES = "houseguest.conformance_samples"
    """An ``env_service.conformance.sample.Sample``: a small run for ``houseguest conformance``. The
    default is the first by name."""

    PROMPTS = "houseguest.prompts"
    """The dotted path of a data folder with a suite's prompt set for model agents; see
    `Plugin.folder`. The entry point's name is the suite's."""

    @property
    def noun(self) -> str:
        """The name of one plug-in of the group in messages: "suite", "data pack"."""
        return self.value.partition(".")[2].replace("_", " ").removesuffix("s")


class PluginError(ValueError):
    """A plug-in cannot be loaded. The message names it, its distribution, and the reason."""


@dataclass(frozen=True, slots=True)
class Plugin:
    """One entry point.

    ``path`` is ``module`` or ``module:attribute``. ``distributions`` are those that register the
    name; usually there is one.
    """

    group: Group
    name: str
    path: str
    distributions: tuple[str, ...]

    def folder(self) -> Path | None:
        """The data folder that the path names, found without importing anything; None if it does
        not exist."""
        package, *below = self.path.split(".")
        spec = find_spec(package)
        places = (spec.submodule_search_locations if spec is not None else None) or ()
        return next(filter(Path.is_dir, (Path(each, *below) for each in places)), None)

    def load(self) -> Any:
        """Imports and returns what the entry point leads to.

        Raises PluginError if the import fails, or if two distributions register different things
        under the same name.
        """
        what = f"{self.group.noun} {self.name!r}"
        if len(self.distributions) > 1:
            raise PluginError(
                f"{what} is registered by {' and by '.join(self.distributions)}: uninstall one"
            )
        module, _, attribute = self.path.partition(":")
        try:
            found: Any = import_module(module)
            for part in filter(None, attribute.split(".")):
                found = getattr(found, part)
        except Exception as error:
            raise PluginError(
                f"{what} of the distribution {self.distributions[0]} cannot be loaded from"
                f" {self.path}: {type(error).__name__}: {error}"
            ) from error
        return found


def find_plugin(group: Group, name: str) -> Plugin:
    """The plug-in of that name. Raises UnknownNameError, which suggests the nearest name."""
    plugins = installed(group)
    if name not in plugins:
        raise UnknownNameError(group.noun, name, plugins)
    return plugins[name]


def installed(group: Group) -> Mapping[str, Plugin]:
    """The plug-ins of a group by name, in alphabetical order. Imports none of them."""
    return installed_by_group()[group]


@cache
def installed_by_group() -> Mapping[Group, Mapping[str, Plugin]]:
    """The plug-ins of every group, by name.

    The result is computed once per process, by one pass over all distributions: a pass takes longer
    than most commands. The first distribution of a name on the import path counts, as in
    ``importlib.metadata.entry_points``.
    """
    found: dict[Group, dict[str, list[tuple[EntryPoint, str]]]] = {group: {} for group in Group}
    seen: set[str] = set()
    for distribution in distributions():
        entries = [each for each in distribution.entry_points if each.group in found]
        if not entries:
            continue
        # Reading the name takes longer than reading the entry points.
        name = distribution.name or "an unknown distribution"
        if name in seen:
            continue
        seen.add(name)
        for entry in entries:
            others = found[Group(entry.group)].setdefault(entry.name, [])
            if all(entry.value != each.value for each, _ in others):
                others.append((entry, name))
    return MappingProxyType({group: _plugins(group, found[group]) for group in Group})


def _plugins(
    group: Group, found: Mapping[str, Sequence[tuple[EntryPoint, str]]]
) -> Mapping[str, Plugin]:
    return MappingProxyType(
        {
            name: Plugin(group, name, entries[0][0].value, tuple(each for _, each in entries))
            for name, entries in sorted(found.items())
        }
    )
