"""torch and transformers, untyped: what crosses this border is ``Any``, and nothing else is.

They are no part of a plain installation, so they are imported when first asked for.
"""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from typing import Any

PACKAGES = ("torch", "transformers")
INSTALL = "pip install 'houseguest[actplan]'"

Tensor = Any
"""A torch.Tensor. Docstrings say shape and dtype."""


class MissingPackageError(Exception):
    """What an encoder needs is not installed. The message says how to install it."""


def load_torch() -> Any:
    """The module torch. Raises MissingPackageError."""
    return _load("torch")


def load_transformers() -> Any:
    """The module transformers, told to say nothing but errors. Raises MissingPackageError."""
    transformers = _load("transformers")
    transformers.logging.set_verbosity_error()
    transformers.logging.disable_progress_bar()
    return transformers


def pick_device(name: str) -> str:
    """The device that "auto", "cpu", "cuda" or "cuda:1" names: auto is a GPU where there is one.

    Raises MissingPackageError, and ValueError for a GPU that is not there.
    """
    torch = load_torch()
    usable = bool(torch.cuda.is_available())
    if name == "auto":
        return "cuda" if usable else "cpu"
    if name.startswith("cuda") and not usable:
        raise ValueError(f"device {name!r}: torch finds no GPU; choose cpu, or auto")
    return name


def _load(name: str) -> Any:
    if find_spec(name) is None:
        missing = ", ".join(each for each in PACKAGES if find_spec(each) is None)
        raise MissingPackageError(
            f"this needs packages that are not installed: {missing}. Install them: {INSTALL}"
        )
    return import_module(name)
