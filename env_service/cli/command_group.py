"""Groups of commands, as ``houseguest data``."""

from __future__ import annotations

import click

from env_service.domain.names import UnknownNameError


class CommandGroup(click.Group):
    """Commands in the order in which one meets them, which is that of their adding."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Their names, in that order."""
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
