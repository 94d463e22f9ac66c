"""Whether a service listens: asks it by grpc.health.v1, as a container's health check.

    python -m env_service.container.health unix:/run/houseguest/agent.sock

Ends with 0 if it serves, with 1 and a word on standard error otherwise.
"""

from __future__ import annotations

import sys

import grpc
from grpc_health.v1 import health_pb2, health_pb2_grpc

PATIENCE = 3.0
"""Seconds; an image's health check has a few more."""


def problem(address: str, patience: float = PATIENCE) -> str:
    """What is wrong with the service at an address; "" if it serves."""
    # A proxy's or a resolver's settings have no say about a socket on this machine.
    with grpc.insecure_channel(address, options=[("grpc.enable_http_proxy", 0)]) as channel:
        ask = health_pb2_grpc.HealthStub(channel).Check  # type: ignore[no-untyped-call]
        try:
            status = ask(health_pb2.HealthCheckRequest(), timeout=patience).status
        except grpc.RpcError as error:
            return f"{address}: {error.details()}"
    if status == health_pb2.HealthCheckResponse.SERVING:
        return ""
    return f"{address}: {health_pb2.HealthCheckResponse.ServingStatus.Name(status)}"


def main() -> None:
    """Asks the service at the address that is given."""
    if len(sys.argv) != 2:
        sys.exit("usage: python -m env_service.container.health ADDRESS")
    sys.exit(problem(sys.argv[1]) or 0)


if __name__ == "__main__":
    main()
