"""Finds the installed suites, loads one by its name, and checks it against the contract."""

from __future__ import annotations

import traceback
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from importlib import import_module
from typing import cast

from env_service.contract import lacking
from env_service.plugins import Group, find_plugin, installed
from env_service.suites.base import PlainSuite, Suite


class SuiteLoadError(ValueError):
    """A suite cannot be had: its ``module:class`` path leads nowhere, or what it leads to is not a
    whole suite. The message says which, and how to mend it."""


def suite_names() -> tuple[str, ...]:
    """The names of the suites that are installed, in alphabetical order. Imports none of them."""
    return tuple(installed(Group.SUITES))


def suite_path(name: str) -> str:
    """The ``module:class`` of a suite, given its name or such a path.

    Raises UnknownNameError for a name that is neither.
    """
    return name if ":" in name else find_plugin(Group.SUITES, name).path


def load_all() -> None:
    """Imports every installed suite, so that no later call waits for it. One that cannot be loaded
    fails when it is asked for."""
    for name in suite_names():
        with suppress(SuiteLoadError):
            load_suite(name)


def load_suite(name: str) -> Suite:
    """Makes the suite of that name, or of that ``module:class`` path.

    Raises UnknownNameError for an unknown name, SuiteLoadError for a path that leads nowhere and
    for a suite that lacks something of the contract.
    """
    module, _, attribute = suite_path(name).partition(":")
    try:
        kind = getattr(import_module(module), attribute)
    except ModuleNotFoundError as error:
        raise SuiteLoadError(
            f"suite {name!r} cannot be loaded: {error}. A module has to be importable: name its"
            " folder in PYTHONPATH"
        ) from error
    except Exception as error:
        raise SuiteLoadError(
            f"suite {name!r} cannot be loaded: {type(error).__name__}: {error}{_where(error)}"
        ) from error
    try:
        made = kind()
    except Exception as error:
        raise SuiteLoadError(
            f"suite {name!r} cannot be made by calling {attribute}():"
            f" {type(error).__name__}: {error}{_where(error)}"
        ) from error
    if problem := lacking(made, Suite, f"suite {name}"):
        raise SuiteLoadError(problem if isinstance(made, PlainSuite) else problem + _PLAIN)
    suite = cast(Suite, made)
    for member, values in (("worlds", suite.worlds), ("modes", suite.modes)):
        if not values:
            raise wrong_value(suite.name, member, "at least one", values)
    return suite


def wrong_value(suite: str, member: str, wanted: str, given: object) -> SuiteLoadError:
    """The error about a member of a suite that gives a value against the contract."""
    return SuiteLoadError(
        f"suite {suite}: {member} has to give {wanted}, and gave {given!r:.100}; see"
        " docs/add-a-suite.md"
    )


@contextmanager
def suite_code(suite: Suite) -> Iterator[None]:
    """Raises SuiteLoadError, with the line of code, for an exception of Python's own from a suite.

    A suite tells its users about their mistakes with exceptions of other modules, and with
    ValueError: these pass unchanged, as do OSError and MemoryError.
    """
    try:
        yield
    except (ValueError, OSError, MemoryError):
        raise
    except Exception as error:
        if type(error).__module__ != "builtins":
            raise
        raise SuiteLoadError(
            f"suite {suite.name} failed: {type(error).__name__}: {error}{_where(error)}"
        ) from error


_PLAIN = (
    ". Make the suite a subclass of PlainSuite, which is in the same file: it has defaults that fit"
    " most suites"
)


def check_whole(made: object, contract: type, what: str) -> None:
    """Raises SuiteLoadError naming what an object lacks of a protocol of suites. ``what`` is how
    the message calls the object."""
    if problem := lacking(made, contract, what):
        raise SuiteLoadError(problem)


def _where(error: Exception) -> str:
    """The line of the suite that raised it."""
    last = traceback.extract_tb(error.__traceback__)[-1]
    return "" if last.filename == __file__ else f" ({last.filename}, line {last.lineno})"
