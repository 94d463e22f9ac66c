"""The server kit: a client that checks any house which serves AgentService."""

from env_service.conformance.server.check import check_server
from env_service.conformance.server.options import ServerOptions

__all__ = ["ServerOptions", "check_server"]
