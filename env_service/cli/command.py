"""Commands and command groups: lazy import, name lookup, and examples for their help."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module

import click

from env_service.domain.names import UnknownNameError


@dataclass(frozen=True, slots=True)
class Command:
    """A command's location and its line in ``houseguest --help``.

    ``path`` is the ``module:attribute`` of a ``click.Command``, imported when the command is used.
    An entry point of ``houseguest.commands`` points to an object of this class, in a module that
    imports quickly; the entry point's name is the command's name.
    """

    path: str
    summary: str

    def load(self) -> click.Command:
        """Imports the command."""
        module, _, attribute = self.path.partition(":")
        command: click.Command = getattr(import_module(module), attribute)
        return command


class CommandGroup(click.Group):
    """A group such as ``houseguest data``; lists its commands in the order of their addition."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The names of the commands, in that order."""
        del ctx
        return list(self.commands)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Finds the command. Raises UnknownNameError."""
        if args[0] not in self.commands and not args[0].startswith("-"):
            known = (f"{self.name} {name}" for name in self.commands)
            raise UnknownNameError("command", f"{self.name} {args[0]}", known)
        return super().resolve_command(ctx, args)


def with_sample(text: str) -> str:
    """Fills in ``SUITE`` and ``TASKS`` from the first conformance sample.

    These tasks play quickly and need no data. Returns the text unchanged if no plug-in has a
    sample that loads.
    """
    from env_service.conformance.sample import find_sample
    from env_service.plugins import PluginError

    try:
        sample = find_sample()
    except (PluginError, UnknownNameError):
        return text
    tasks = ",".join(sample.tasks)
    return text.replace("SUITE", sample.suite).replace("TASKS", tasks or "TASKS")
