"""The options that an agent's manifest declares, as options of a command line."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import click

from env_service.sandbox.agent_manifest import AgentManifest, AgentOption, Given

_TYPES: Mapping[str, click.ParamType[Any]] = {
    "text": click.STRING,
    "int": click.INT,
    "float": click.FLOAT,
}


def read_agent_options(manifest: AgentManifest, words: Sequence[str]) -> Given:
    """Reads options of an agent that are typed alone, without those of a command.

    Raises click.UsageError for an option that the agent lacks and for an invalid value.
    """
    params: list[click.Parameter] = [*manifest_options(manifest)]
    command = click.Command(manifest.name, params=params, add_help_option=False)
    return take_agent_options(manifest, command.make_context(manifest.name, list(words)).params)


def take_agent_options(manifest: AgentManifest | None, params: dict[str, Any]) -> Given:
    """Removes an agent's options from a command's parameters; returns those that were given."""
    options = () if manifest is None else manifest.options
    values = {each.name: _values(params.pop(_parameter(each), None)) for each in options}
    return {name: given for name, given in values.items() if given}


def manifest_options(manifest: AgentManifest | None) -> list[click.Option]:
    """An agent's options as a command has them; none for an agent without a manifest."""
    return [] if manifest is None else list(map(_click_option, manifest.options))


def option_usage(option: AgentOption) -> tuple[str, str]:
    """The option with its value's name, and its help: two columns of a list."""
    record = _click_option(option).get_help_record(click.Context(click.Command("agents")))
    return record or (option.name, option.help)


def _click_option(option: AgentOption) -> click.Option:
    default = option.default or ", ".join(option.variables)
    default = f"[default: {default}]" if default else ""
    repeated = "May be repeated." if option.multiple else ""
    return click.Option(
        [option.name, _parameter(option)],
        metavar=option.metavar or None,
        help="  ".join(part for part in (option.help, repeated, default) if part),
        # A variable may replace it, and the agent's environment may differ from the command's.
        required=option.required and not option.variables,
        # None rather than False: with False, click reads a value that starts with - as an option.
        is_flag=option.flag or None,
        multiple=option.multiple,
        type=None if option.flag else _type(option),
    )


def _type(option: AgentOption) -> click.ParamType[Any]:
    if option.choices:
        return click.Choice(option.choices)
    return click.Path() if option.path else _TYPES[option.type]


def _parameter(option: AgentOption) -> str:
    """The parameter's name, with a prefix that no parameter of a command has."""
    return "agent_" + option.name.replace("-", "_")


def _values(value: Any) -> tuple[str, ...]:
    """A parameter's value as a tuple of texts; empty if it was not given."""
    if isinstance(value, tuple):
        return tuple(map(str, value))
    if isinstance(value, bool):
        return ("",) if value else ()
    return () if value is None else (str(value),)
