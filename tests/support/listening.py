"""A service that listens where a test says, and a certificate for it."""

from __future__ import annotations

import ipaddress
from datetime import UTC, datetime, timedelta
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from env_service.gateway.grpc_server import GrpcServer, GrpcServerOptions
from env_service.gateway.limits import ServiceLimits
from env_service.gateway.listeners import Endpoint, Tls
from env_service.storage.signing_key import SigningKey


def listening_server(
    folder: Path, *agents: str, tls: Tls | None = None, plaintext: bool = False
) -> GrpcServer:
    """A service whose agents' listener is the one under test."""
    return GrpcServer(
        GrpcServerOptions(
            runs=folder / "runs",
            key=SigningKey.load_or_create(folder / "key.pem"),
            agents=Endpoint(agents, tls, plaintext),
            control=Endpoint((f"unix:{folder}/control.sock",)),
            limits=ServiceLimits(),
        )
    )


def self_signed(folder: Path) -> Tls:
    """A certificate for this host, good for an hour, and its key."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "houseguest test")])
    now = datetime.now(UTC)
    hosts = x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address("127.0.0.1"))])
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(hours=1))
        .not_valid_after(now + timedelta(hours=1))
        .add_extension(hosts, critical=False)
        .sign(key, hashes.SHA256())
    )
    tls = Tls(folder / "chain.pem", folder / "key.pem")
    tls.certificate.write_bytes(certificate.public_bytes(serialization.Encoding.PEM))
    tls.private_key.write_bytes(
        key.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption(),
        )
    )
    return tls
