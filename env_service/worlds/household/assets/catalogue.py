"""Which builder makes which type; the one door to the assets."""

from __future__ import annotations

from functools import lru_cache
from importlib import import_module

from env_service.worlds.household.assets.model import AssetRequest, Builder, Model

FAMILIES: dict[str, tuple[str, ...]] = {}
"""Module below `assets` -> the types that it builds. Each module has `BUILDERS: dict[str,
Builder]` with exactly these names."""


def builder_of(type_name: str) -> Builder:
    """The builder of a type; an unknown one raises KeyError."""
    module = _homes()[type_name]
    builders: dict[str, Builder] = import_module(f"{__package__}.{module}").BUILDERS
    return builders[type_name]


def known_types() -> frozenset[str]:
    """Every type that has a builder, structural parts included."""
    return frozenset(_homes())


@lru_cache(maxsize=4096)
def model(request: AssetRequest) -> Model:
    """The model for a request; equal requests share one.

    Raises:
        KeyError: no builder knows the type.
        ValueError: a size that is not positive.
    """
    if min(request.size.tuple()) <= 0:
        raise ValueError(f"{request.type}: a model's size is positive, not {request.size}")
    return builder_of(request.type)(request)


@lru_cache(maxsize=1)
def _homes() -> dict[str, str]:
    return {name: module for module, names in FAMILIES.items() for name in names}
