"""What a call came to: a response, or an error with all that it carries."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import grpc
from google.protobuf.message import DecodeError, Message
from google.rpc import error_details_pb2, status_pb2

_DETAILS_KEY = "grpc-status-details-bin"
_REASON_KEY = "houseguest-reason"


@dataclass(frozen=True, slots=True)
class Answer:
    """A response, or an error: exactly one of ``response`` and ``code`` is set.

    ``reason`` stands in the trailing metadata, ``info`` in google.rpc.ErrorInfo; each is empty
    where it is missing. ``retry``: a google.rpc.RetryInfo came, too.
    """

    method: str
    response: Any = None
    code: grpc.StatusCode | None = None
    reason: str = ""
    info: str = ""
    retry: bool = False
    message: str = ""

    def is_error(self, reason: str) -> bool:
        """Whether it is the error of that reason."""
        return self.code is not None and reason in (self.reason, self.info)

    def __str__(self) -> str:
        if self.code is None:
            return f"a response: {_short(self.response)}"
        return f"{self.code.name} {self.reason or self.info or '(no reason)'}: {self.message}"


def read_error(method: str, error: grpc.RpcError) -> Answer:
    """The error that a call failed with."""
    if not isinstance(error, grpc.Call):
        return Answer(method, code=grpc.StatusCode.UNKNOWN, message=str(error))
    reason, details = _trailing(error.trailing_metadata() or ())
    info, retry = _read_details(details)
    return Answer(
        method,
        code=error.code(),
        reason=reason,
        info=info,
        retry=retry,
        message=(error.details() or "")[:200],
    )


def _trailing(metadata: Iterable[Any]) -> tuple[str, bytes]:
    reason, details = "", b""
    for key, value in metadata:
        if key == _REASON_KEY:
            reason = value if isinstance(value, str) else value.decode(errors="replace")
        elif key == _DETAILS_KEY and isinstance(value, bytes):
            details = value
    return reason, details


def _read_details(data: bytes) -> tuple[str, bool]:
    """The reason of an ErrorInfo, and whether there is a RetryInfo."""
    status, info, retry = status_pb2.Status(), "", False
    try:
        status.ParseFromString(data)
        for detail in status.details:
            told = error_details_pb2.ErrorInfo()
            if detail.Unpack(told):
                info = told.reason
            retry = retry or detail.type_url.endswith("/google.rpc.RetryInfo")
    except DecodeError:
        pass
    return info, retry


def _short(message: Message) -> str:
    return " ".join(str(message).split())[:160] or "(empty)"
