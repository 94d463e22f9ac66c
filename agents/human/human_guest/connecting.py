"""Takes the seat, with all to see that the run's condition offers."""

from __future__ import annotations

from collections.abc import Iterator

from houseguest_agent import (
    Channel,
    Client,
    ImageEncoding,
    ImageRequest,
    ObservationRequest,
    Options,
    RefusedError,
)

from .settings import Settings

NAME, VERSION = "human", "1.0"
_ENCODINGS = (
    *(ImageEncoding.RAW, ImageEncoding.PNG),
    *(ImageEncoding.WEBP_LOSSLESS, ImageEncoding.JPEG),
)
_NOT_OFFERED = "OBSERVATION_NOT_OFFERED"


def observation_requests() -> Iterator[ObservationRequest]:
    """What to ask for, the richest first: the house refuses what its condition lacks.

    The last one takes whatever there is.
    """
    for previous, text in ((True, True), (True, False), (False, True), (False, False)):
        image = ImageRequest(Channel.RGB, _ENCODINGS, previous_frame=previous)
        yield ObservationRequest((image,), text=text)
    yield ObservationRequest()


def connect(settings: Settings) -> Client:
    """A connected client. Raises what Client.connect raises."""
    *richer, last = observation_requests()
    for request in richer:
        client = _client(settings, request)
        try:
            client.connect()
        except RefusedError as error:
            if error.reason != _NOT_OFFERED:
                raise
        else:
            return client
    client = _client(settings, last)
    client.connect()
    return client


def _client(settings: Settings, request: ObservationRequest) -> Client:
    options = Options(observation=request)
    return Client(NAME, VERSION, configuration=settings.configuration(), options=options)
