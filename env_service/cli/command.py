"""Commands and command groups: lazy import, name lookup, and examples for their help."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module

import click


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
