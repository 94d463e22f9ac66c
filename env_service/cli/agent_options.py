"""Adds the options of the agent that ``--agent`` names to a command."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from copy import copy
from typing import Any, NoReturn

import click

from env_service.evaluation.agent_options import manifest_options, take_agent_options
from env_service.sandbox.agent_manifest import MANIFEST, AgentManifest, AgentOption
from env_service.sandbox.agents import EXTERNAL, IMAGE_PREFIX, find_agent
from env_service.sandbox.errors import AgentSpecError

_MANIFEST_KEY = f"{__name__}.manifest"


class AgentCommand(click.Command):
    """A command that also accepts the options of the agent that ``--agent`` names.

    The command's function gets the agent's options as ``agent_options``: a mapping from the name of
    each given option to its values, in the form that ``choose`` takes. ``sections`` maps headings
    of ``--help`` to the command's parameters below each; other parameters come last. ``yielding``
    are second names of the command's options, which the agent's options may take over.
    """

    def __init__(
        self,
        *args: Any,
        sections: Mapping[str, Sequence[str]],
        yielding: Collection[str] = (),
        **settings: Any,
    ) -> None:
        super().__init__(*args, **settings)
        self.sections = sections
        self.yielding = frozenset(yielding)

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Finds the agent, then parses its options together with the command's.

        Raises UnknownNameError and AgentSpecError for an agent that cannot be used.
        """
        named = named_agent(args, self.params)
        manifest = find_agent(named) if named else None
        if manifest is not None:
            check_collisions(manifest, super().get_params(ctx), self.yielding)
        ctx.meta[_MANIFEST_KEY] = manifest
        try:
            rest = super().parse_args(ctx, args)
        except click.NoSuchOption as error:
            _explain(error, named, manifest)
        ctx.params["agent_options"] = take_agent_options(manifest, ctx.params)
        return rest

    def get_params(self, ctx: click.Context) -> list[click.Parameter]:
        """The command's parameters and, once the arguments are parsed, the agent's."""
        return [*self._own(ctx), *manifest_options(ctx.meta.get(_MANIFEST_KEY))]

    def _own(self, ctx: click.Context) -> list[click.Parameter]:
        taken = self.yielding & {option.name for option in _agent_options(ctx)}
        return [_without(param, taken) for param in super().get_params(ctx)]

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Writes the command's sections, then one for the agent."""
        own = {param.name: param for param in self._own(ctx)}
        for heading, names in self.sections.items():
            _write(ctx, formatter, heading, [own.pop(name) for name in names])
        _write(ctx, formatter, "Other", list(own.values()))
        manifest = ctx.meta.get(_MANIFEST_KEY)
        if manifest is not None:
            options = manifest_options(manifest)
            _write(ctx, formatter, f"Options of the agent {manifest.name}", options)


def named_agent(args: Sequence[str], params: Sequence[click.Parameter]) -> str | None:
    """The value of the last ``--agent``, found before the agent's options are known.

    ``params`` are the command's parameters: the word after an option that takes a value is that
    value.
    """
    taking = {
        name
        for param in params
        if isinstance(param, click.Option) and not param.is_flag
        for name in param.opts
    }
    found = None
    words = iter(args)
    for word in words:
        if word == "--":
            break
        name, equals, value = word.partition("=")
        if word in taking:
            name, value = word, next(words, "")
        elif not equals:
            continue
        found = value if name == "--agent" else found
    return found


def check_collisions(
    manifest: AgentManifest, params: Sequence[click.Parameter], yielding: Collection[str] = ()
) -> None:
    """Raises AgentSpecError if an option of the agent has the name of one of the command's
    options, unless that name is in ``yielding``."""
    taken = {name for param in params for name in (*param.opts, *param.secondary_opts)}
    taken.difference_update(yielding)
    for option in manifest.options:
        if option.name in taken:
            raise AgentSpecError(
                f"{manifest.folder / MANIFEST}: {option.name} is also an option of"
                " `houseguest run`; rename the agent's option"
            )


def _without(param: click.Parameter, names: Collection[str]) -> click.Parameter:
    """A copy of the parameter without these names."""
    if not set(names) & set(param.opts):
        return param
    param = copy(param)
    param.opts = [name for name in param.opts if name not in names]
    return param


def _agent_options(ctx: click.Context) -> tuple[AgentOption, ...]:
    manifest = ctx.meta.get(_MANIFEST_KEY)
    return () if manifest is None else manifest.options


def _write(
    ctx: click.Context,
    formatter: click.HelpFormatter,
    heading: str,
    params: Sequence[click.Parameter],
) -> None:
    rows = [row for param in params if (row := param.get_help_record(ctx)) is not None]
    if rows:
        with formatter.section(heading):
            formatter.write_dl(rows)


def _explain(
    error: click.NoSuchOption, agent: str | None, manifest: AgentManifest | None
) -> NoReturn:
    """Raises the error again, with a hint where to put an agent's options."""
    nearest = error.possibilities or ()
    if agent is None and "--agent" not in nearest:
        hint = "For the options of an agent, name it with --agent."
    elif agent and manifest is None and agent != EXTERNAL and not agent.startswith(IMAGE_PREFIX):
        hint = "Pass the options of your own program in --agent-args."
    elif manifest is not None:
        hint = f"For the options of this agent: houseguest agents {agent}"
    else:
        raise error
    message = f"{error.message} {hint}"
    raise click.NoSuchOption(error.option_name, message, nearest, error.ctx) from error
