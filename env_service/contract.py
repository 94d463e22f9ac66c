"""Checks whether an object meets a Protocol, and describes what is missing to its author."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from functools import cached_property
from typing import get_args, get_origin, get_type_hints


def lacking(thing: object, contract: type, what: str) -> str:
    """A message that lists what ``thing`` lacks of a Protocol; empty if it lacks nothing.

    The message calls the object ``what``.
    """
    gaps = find_gaps(thing, contract)
    if not gaps:
        return ""
    return (
        f"{what} lacks {', '.join(gaps)}. {contract.__module__.replace('.', '/')}.py describes"
        f" each of them, in the class {contract.__name__}; see also docs/extend.md"
    )


def find_gaps(thing: object, contract: type) -> list[str]:
    """The members of a Protocol that ``thing`` lacks or defines differently; empty if none.

    The check covers names, the arguments of methods, and the types of attributes and of the items
    of tuples. It calls no method and evaluates no ``cached_property``.
    """
    hints = get_type_hints(contract)
    gaps = [gap for name, hint in hints.items() for gap in _attribute(thing, name, hint)]
    own = [each for each in contract.__mro__ if getattr(each, "_is_protocol", False)]
    methods = {name: method for each in reversed(own) for name, method in vars(each).items()}
    for name, method in methods.items():
        if inspect.isfunction(method) and not name.startswith("_"):
            gaps += _method(thing, name, method)
    return gaps


def _attribute(thing: object, name: str, hint: object) -> Iterator[str]:
    if isinstance(inspect.getattr_static(thing, name, None), cached_property):
        return
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
        yield f"{shown} (its signature differs)"
    except ValueError:
        # A callable without a signature, such as one in C.
        return


def _article(kind: type) -> str:
    return f"{'an' if kind.__name__[0].lower() in 'aeiou' else 'a'} {kind.__name__}"
