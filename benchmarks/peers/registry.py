"""The peers by name. Each is imported only when asked for, since two need an extra."""

from __future__ import annotations

import importlib
from types import MappingProxyType

from benchmarks.peers.base import Peer, PeerError

_CLASSES = MappingProxyType(
    {
        "bare_stream": ("benchmarks.peers.bare_stream", "BareStream"),
        "bare_unary": ("benchmarks.peers.bare_unary", "BareUnary"),
        "dm_env_rpc": ("benchmarks.peers.dm_env_rpc_stream", "DmEnvRpc"),
        "openenv": ("benchmarks.peers.openenv_websocket", "OpenEnv"),
        "openenv_plain": ("benchmarks.peers.openenv_websocket", "PlainOpenEnv"),
    }
)

PEER_NAMES = tuple(_CLASSES)
"""In the order in which a table shows them."""


def make_peer(name: str) -> Peer:
    """A peer that is not started yet.

    Raises PeerError for a name outside PEER_NAMES, or when its package is not installed.
    """
    if name not in _CLASSES:
        raise PeerError(f"unknown peer {name!r}; choose from {', '.join(PEER_NAMES)}.")
    module, class_name = _CLASSES[name]
    try:
        peer: Peer = getattr(importlib.import_module(module), class_name)()
    except ModuleNotFoundError as error:
        raise PeerError(
            f"{name} needs the package {error.name!r}: pip install -e '.[bench]'"
        ) from error
    return peer
