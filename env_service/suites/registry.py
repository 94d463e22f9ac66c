"""Which suites there are, how a process gets hold of one, and what one lacks of the contract,
in words for whoever wrote it.
"""

from __future__ import annotations

import inspect
import traceback
from collections.abc import Iterator
from contextlib import suppress
from importlib import import_module
from typing import cast, get_args, get_origin, get_type_hints

from env_service.plugins import Group, find_plugin, installed
from env_service.suites.base import Suite


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
    check_whole(made, Suite, f"suite {name}")
    return cast(Suite, made)


def check_whole(made: object, contract: type, what: str) -> None:
    """Raises SuiteLoadError naming what an object lacks of a protocol of suites. ``what`` is how
    the message calls the object."""
    if gaps := find_gaps(made, contract):
        raise SuiteLoadError(
            f"{what} lacks {', '.join(gaps)}. {contract.__module__.replace('.', '/')}.py tells what"
            f" each of them is, in the class {contract.__name__}; see also docs/add-a-suite.md"
        )


def _where(error: Exception) -> str:
    """The line of the suite that raised it."""
    last = traceback.extract_tb(error.__traceback__)[-1]
    return "" if last.filename == __file__ else f" ({last.filename}, line {last.lineno})"


# --- Whether an object has all that a protocol asks for, in words for whoever wrote it


def find_gaps(thing: object, contract: type) -> list[str]:
    """What ``thing`` lacks of a Protocol, or has otherwise than it says; empty: nothing.

    Looked at are the names, how methods can be called, and the types of attributes; of a tuple
    also those of its items. Nothing is called.
    """
    hints = get_type_hints(contract)
    gaps = [gap for name, hint in hints.items() for gap in _attribute(thing, name, hint)]
    for name, method in vars(contract).items():
        if inspect.isfunction(method) and not name.startswith("_"):
            gaps += _method(thing, name, method)
    return gaps


def _attribute(thing: object, name: str, hint: object) -> Iterator[str]:
    if not hasattr(thing, name):
        yield name
        return
    value = getattr(thing, name)
    kind = get_origin(hint) or hint
    if not isinstance(kind, type):
        return
    if not isinstance(value, kind):
        yield f"{name} as {_article(kind)} (it is {_article(type(value))})"
    elif isinstance(value, tuple):
        (wanted, *_) = get_args(hint)
        wanted = get_origin(wanted) or wanted
        if any(not isinstance(item, wanted) for item in value):
            yield f"{name} as a tuple of {wanted.__name__}"


def _method(thing: object, name: str, method: object) -> Iterator[str]:
    if not callable(method):
        return
    wanted = [each for each in inspect.signature(method).parameters if each != "self"]
    shown = f"{name}({', '.join(wanted)})"
    own = getattr(thing, name, None)
    # A class that names the protocol as its base inherits the protocol's empty methods.
    if not callable(own) or getattr(own, "__func__", None) is method:
        yield shown
        return
    try:
        inspect.signature(own).bind(*wanted)
    except TypeError:
        yield f"{shown} (its own takes other arguments)"
    except ValueError:
        # A callable without a signature, such as one in C.
        return


def _article(kind: type) -> str:
    return f"{'an' if kind.__name__[0].lower() in 'aeiou' else 'a'} {kind.__name__}"
