"""A command of the command line, known before it is imported."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module

import click


@dataclass(frozen=True, slots=True)
class Command:
    """Where a command is, and its line in ``houseguest --help``.

    ``path`` is the ``module:attribute`` of a ``click.Command``, imported when the command is used.
    An entry point of ``houseguest.commands`` leads to one of these, in a module that imports
    nothing heavy; its name is the command's.
    """

    path: str
    summary: str

    def load(self) -> click.Command:
        """Imports the command."""
        module, _, attribute = self.path.partition(":")
        command: click.Command = getattr(import_module(module), attribute)
        return command
