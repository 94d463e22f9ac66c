"""Options that a command takes from the agent that ``--agent`` names."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from copy import copy
from typing import Any, NoReturn

import click

from env_service.sandbox.agent_manifest import MANIFEST, AgentManifest, AgentOption
from env_service.sandbox.agents import EXTERNAL, IMAGE_PREFIX, find_agent
from env_service.sandbox.errors import AgentSpecError

_MANIFEST_KEY = f"{__name__}.manifest"
_TYPES: Mapping[str, click.ParamType[Any]] = {
    "text": click.STRING,
    "int": click.INT,
    "float": click.FLOAT,
}


class AgentCommand(click.Command):
    """A command whose options are its own and those of the agent that ``--agent`` names.

    Its function gets those of the agent as ``agent_options``, a mapping from the option's name
    to its values as ``choose`` takes it, with what was given only. ``sections`` are headings
    of ``--help`` with the own parameters below each; the rest come last. ``yielding`` are second
    names of own options, which an agent may have for an option of its own.
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
        """Finds the agent, then reads its options among the command's own.

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
        options = () if manifest is None else manifest.options
        values = {each.name: _values(ctx.params.pop(_parameter(each), None)) for each in options}
        ctx.params["agent_options"] = {name: given for name, given in values.items() if given}
        return rest

    def get_params(self, ctx: click.Context) -> list[click.Parameter]:
        """The command's own, and in a context that was parsed those of the agent."""
        return [*self._own(ctx), *map(_click_option, _agent_options(ctx))]

    def _own(self, ctx: click.Context) -> list[click.Parameter]:
        taken = self.yielding & {option.name for option in _agent_options(ctx)}
        return [_without(param, taken) for param in super().get_params(ctx)]

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Writes the sections, and one for the agent."""
        own = {param.name: param for param in self._own(ctx)}
        for heading, names in self.sections.items():
            _write(ctx, formatter, heading, [own.pop(name) for name in names])
        _write(ctx, formatter, "Other", list(own.values()))
        manifest = ctx.meta.get(_MANIFEST_KEY)
        if manifest is not None:
            options = [_click_option(option) for option in manifest.options]
            _write(ctx, formatter, f"Options of the agent {manifest.name}", options)


def named_agent(args: Sequence[str], params: Sequence[click.Parameter]) -> str | None:
    """The value of the last ``--agent``, found without knowing the agent's options.

    ``params`` are the command's own: a word behind one that takes a value is that value.
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
    """Raises AgentSpecError for an agent's option that is one of the command's own, unless the
    command yields it."""
    taken = {name for param in params for name in (*param.opts, *param.secondary_opts)}
    taken.difference_update(yielding)
    for option in manifest.options:
        if option.name in taken:
            raise AgentSpecError(
                f"{manifest.folder / MANIFEST}: {option.name} is an option of `houseguest run`"
                " itself; give the agent's another name"
            )


def option_usage(option: AgentOption) -> tuple[str, str]:
    """The option with its value's name, and what it means: two columns of a list."""
    record = _click_option(option).get_help_record(click.Context(click.Command("agents")))
    return record or (option.name, option.help)


def _without(param: click.Parameter, names: Collection[str]) -> click.Parameter:
    """The parameter, but for these of its names."""
    if not set(names) & set(param.opts):
        return param
    param = copy(param)
    param.opts = [name for name in param.opts if name not in names]
    return param


def _agent_options(ctx: click.Context) -> tuple[AgentOption, ...]:
    manifest = ctx.meta.get(_MANIFEST_KEY)
    return () if manifest is None else manifest.options


def _click_option(option: AgentOption) -> click.Option:
    default = option.default or ", ".join(option.variables)
    default = f"[default: {default}]" if default else ""
    repeated = "May be repeated." if option.multiple else ""
    return click.Option(
        [option.name, _parameter(option)],
        metavar=option.metavar or None,
        help="  ".join(part for part in (option.help, repeated, default) if part),
        # A variable may stand in for it, which the command's own environment does not show.
        required=option.required and not option.variables,
        # Not False: then click would take a value that begins with - for another option.
        is_flag=option.flag or None,
        multiple=option.multiple,
        type=None if option.flag else _type(option),
    )


def _type(option: AgentOption) -> click.ParamType[Any]:
    if option.choices:
        return click.Choice(option.choices)
    return click.Path() if option.path else _TYPES[option.type]


def _parameter(option: AgentOption) -> str:
    """The parameter's name, which is none of the command's own."""
    return "agent_" + option.name.replace("-", "_")


def _values(value: Any) -> tuple[str, ...]:
    """A parameter's value as a tuple of texts; empty where it was not given."""
    if isinstance(value, tuple):
        return tuple(map(str, value))
    if isinstance(value, bool):
        return ("",) if value else ()
    return () if value is None else (str(value),)


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
    """Raises the error again, with where an option of an agent belongs."""
    nearest = error.possibilities or ()
    if agent is None and "--agent" not in nearest:
        hint = "An agent's options are known once it is named with --agent."
    elif agent and manifest is None and agent != EXTERNAL and not agent.startswith(IMAGE_PREFIX):
        hint = "The options of your own program go into --agent-args."
    else:
        raise error
    message = f"{error.message} {hint}"
    raise click.NoSuchOption(error.option_name, message, nearest, error.ctx) from error
