"""Serves the viewer's application on a socket until a signal stops it."""

from __future__ import annotations

import socket
from pathlib import Path

import uvicorn
from starlette.applications import Starlette

_STOP_SECONDS = 1
"""How long open answers may take after the signal."""


class _Server(uvicorn.Server):
    def __init__(self, config: uvicorn.Config, app: Starlette) -> None:
        super().__init__(config)
        self._app = app

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Ends the streams of events first: uvicorn waits for open answers."""
        self._app.state.changes.close()
        await super().shutdown(sockets)


def serve(
    app: Starlette, bound: socket.socket, certificate: Path | None = None, key: Path | None = None
) -> None:
    """Serves ``app``, as make_app made it, until SIGINT or SIGTERM; with TLS if there is a
    ``certificate``. Then raises KeyboardInterrupt for SIGINT, as uvicorn passes the signal on.

    Raises OSError if the certificate or the key cannot be read.
    """
    config = uvicorn.Config(
        app,
        log_config=None,
        access_log=False,
        lifespan="on",
        server_header=False,
        ssl_certfile=certificate,
        ssl_keyfile=key,
        timeout_graceful_shutdown=_STOP_SECONDS,
    )
    _Server(config, app).run(sockets=[bound])
