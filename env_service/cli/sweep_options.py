"""The options of ``houseguest run`` as the keys of a plan: the same words, the same checks."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from env_service.cli.errors import as_failure
from env_service.cli.run import read_run_options, run_command
from env_service.evaluation.agent_options import manifest_options
from env_service.sandbox.agent_manifest import AgentManifest
from env_service.sandbox.agents import (
    EXTERNAL,
    IMAGE_PREFIX,
    AgentCommand,
    AgentSpec,
    agent_folders,
    find_agent,
)
from env_service.sweep.plan import AskedRun, Endpoint, OptionError, Options

if TYPE_CHECKING:
    from env_service.gateway.environment_service import RunRequest
    from env_service.sandbox.agent_files import AgentFiles

T = TypeVar("T")

_OF_SWEEP = {"out", "signing-key", "json"}
"""Options of ``run`` that a sweep chooses for all of its runs."""
_OF_ONE_RUN = {"fresh", "resume-anyway", "listen", "seats", "help"}
"""Options of ``run`` that make no sense for many runs."""
_ONE_VALUE = {"condition"}
"""Options that may be repeated on the command line, but of which a run has one."""


class SweepOptions:
    """See ``RunOptionTable``. Agents' manifests are read once."""

    def __init__(self) -> None:
        self._options = cache(self._read_options)
        self._files: dict[str, AgentFiles | None] = {}

    def check_agent(self, agent: str) -> None:
        """Raises OptionError if there is no such agent, or if a person or program starts it."""
        if agent == EXTERNAL:
            raise OptionError("a sweep starts its agents itself, so agent cannot be 'external'")
        _translated(lambda: find_agent(agent), "agent")

    def keys(self, agent: str) -> Collection[str]:
        """See ``RunOptionTable``."""
        return self._options(agent)

    def takes_list(self, key: str, agent: str) -> bool:
        """See ``RunOptionTable``."""
        option = self._options(agent).get(key)
        return option is not None and option.multiple and key not in _ONE_VALUE

    def check(self, key: str, value: Any, agent: str) -> None:
        """See ``RunOptionTable``."""
        option = self._options(agent)[key]
        if key == "set":
            _check_settings(value)
            return
        words = self._texts(option, value)
        if option.is_flag:
            return
        context = click.Context(run_command, resilient_parsing=False)
        given = tuple(words) if option.multiple else words[0]
        try:
            option.process_value(context, given)
        except click.UsageError as error:
            message = error.message if isinstance(error, click.BadParameter) else str(error)
            raise OptionError(f"{key}: {message}", key) from error
        except Exception as error:
            raise _option_error(error, key) from error

    def words(self, options: Options) -> list[str]:
        """See ``RunOptionTable``."""
        known = self._options(str(options.get("agent", "")))
        found: list[str] = []
        for key, value in options.items():
            option = known[key]
            if isinstance(value, dict):
                found += [f"--{key}={name}={each}" for name, each in value.items()]
            elif option.is_flag:
                found += [f"--{key}"] if value else []
            else:
                found += [f"--{key}={text}" for text in self._texts(option, value)]
        return found

    def selection(self, options: Options) -> RunRequest:
        """See ``RunOptionTable``."""
        plain = self._options("")
        kept = {key: value for key, value in options.items() if key in plain and key != "agent"}
        for key in ("agent-args", *_sandbox_keys()):
            kept.pop(key, None)
        request: RunRequest = self._read(kept | {"agent": EXTERNAL}).request
        return request

    def asked(self, options: Options) -> AskedRun:
        """See ``RunOptionTable``."""
        found = self._read(options)
        if found.agent.launch is not None and not found.agent.label.startswith(IMAGE_PREFIX):
            command: Any = found.agent.launch
            _translated(lambda: command.check_wants(os.environ), "agent")
        manifest = find_agent(str(options["agent"]))
        endpoint = _endpoint(manifest, options)
        prices = Path(given) if (given := options.get("prices")) else None
        spends = endpoint is not None or (None if manifest is None else _has_model(manifest))
        return AskedRun(found.request, found.agent, found.step_budget, endpoint, spends, prices)

    def _read(self, options: Options) -> Any:
        words = self.words(options)

        def read() -> Any:
            with run_command.make_context("run", words) as context:
                return read_run_options(context.params, self._files_of)

        return _translated(read)

    def _files_of(self, agent: AgentSpec) -> AgentFiles | None:
        """The agent's files, found once: its program may import hundreds."""
        from env_service.sandbox.agent_files import files_of

        folder = agent.launch.folder if isinstance(agent.launch, AgentCommand) else None
        key = repr(folder or agent.launch)
        if key not in self._files:
            self._files[key] = files_of(agent)
        return self._files[key]

    def _read_options(self, agent: str) -> dict[str, click.Option]:
        try:
            manifests = [find_agent(agent)] if agent else []
        except Exception as error:
            if as_failure(error) is None:
                raise
            manifests = [find_agent(name) for name in agent_folders()]
        listed = [each for each in run_command.params if isinstance(each, click.Option)]
        listed += [option for manifest in manifests for option in manifest_options(manifest)]
        named = {_key(option): option for option in listed}
        hidden = _OF_SWEEP | _OF_ONE_RUN
        return {key: option for key, option in named.items() if key not in hidden}

    def _texts(self, option: click.Option, value: Any) -> list[str]:
        """The values of an option, one for each time that it is given."""
        key = _key(option)
        if option.is_flag:
            if not isinstance(value, bool):
                raise OptionError(f"{key} must be true or false, not {value!r:.60}", key)
            return []
        values = value if isinstance(value, list) and option.multiple else [value]
        for each in values:
            if isinstance(each, bool) or not isinstance(each, str | int | float):
                raise OptionError(f"{key} is {each!r:.60}; it must be a text or a number", key)
        if not values:
            raise OptionError(f"{key} is an empty list", key)
        return [str(each) for each in values]


def _has_model(manifest: AgentManifest) -> bool:
    return any(option.name == "--model" for option in manifest.options)


def _key(option: click.Option) -> str:
    return max(option.opts, key=len).removeprefix("--")


def _sandbox_keys() -> list[str]:
    from env_service.cli.sandbox_options import SANDBOX_PARAMETERS

    return [
        _key(each)
        for each in run_command.params
        if isinstance(each, click.Option) and each.name in SANDBOX_PARAMETERS
    ]


def _check_settings(value: Any) -> None:
    if not isinstance(value, dict):
        raise OptionError('set must be a table, such as set = {NAME = "VALUE"}', "set")
    for name, given in value.items():
        values = given if isinstance(given, list) else [given]
        if not values or not all(isinstance(each, str) and each for each in values):
            raise OptionError(f"the setting {name} must be a text, or a list of texts", "set")


def _translated(read: Callable[[], T], key: str = "") -> T:
    """Calls a function. Raises OptionError for every error that is meant for users."""
    try:
        return read()
    except OptionError:
        raise
    except click.MissingParameter as error:
        param = error.param
        missing = _key(param) if isinstance(param, click.Option) else "an option"
        raise OptionError(f"{missing} is missing: the agent needs it", "agent") from error
    except click.ClickException as error:
        hint = getattr(error, "param_hint", None)
        named = str(hint).strip("'\"").removeprefix("--") if hint else key
        param = getattr(error, "param", None)
        named = _key(param) if isinstance(param, click.Option) else named
        raise OptionError(error.message, named) from error
    except Exception as error:
        raise _option_error(error, key) from error


def _option_error(error: Exception, key: str) -> OptionError:
    """The error in a plan; any that is not meant for users is raised again."""
    failure = as_failure(error)
    if failure is None:
        raise error
    return OptionError(failure.message, key)


# --- The model server of an agent


def _endpoint(manifest: AgentManifest | None, options: Options) -> Endpoint | None:
    """The server that the agent calls, from the option that stands for the usual variable."""
    from houseguest_model_client.address import AddressError, read_address
    from houseguest_model_client.config import (
        ADDRESS_VARIABLES,
        EndpointConfig,
        KeyVariableError,
        find_base_url,
        find_key,
    )

    named = [each.name for each in manifest.options] if manifest else []
    places = [
        each.name.removeprefix("--")
        for each in (manifest.options if manifest else ())
        if ADDRESS_VARIABLES[0] in each.variables
    ]
    key = places[0] if places else "model-server"
    given = str(options.get(key, ""))
    url = find_base_url(given) if places else given
    if not url:
        return None
    try:
        address = read_address(url)
        secret = find_key(str(options.get("api-key-env", "")) if "--api-key-env" in named else "")
    except (AddressError, KeyVariableError) as error:
        at = key if isinstance(error, AddressError) else "api-key-env"
        raise OptionError(str(error), at) from error
    model = str(options.get("model", ""))
    config = EndpointConfig(address=address, model=model, key=secret)
    # An Azure deployment has its own name, which the server's list of models lacks.
    return Endpoint(address.declared, "" if address.azure else model, config)
