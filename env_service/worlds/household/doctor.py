"""The household world for ``houseguest doctor``: which renderer draws its pictures on this
machine."""

from collections.abc import Iterator

from env_service.doctor.diagnosis import Diagnosis, DiagnosisState, DoctorRequest
from env_service.worlds.base import WorldUnavailableError
from env_service.worlds.household.opening import describe
from env_service.worlds.household.render.selection import VARIABLE

NAME = "world household"


def renderer(subject: DoctorRequest) -> Iterator[Diagnosis]:
    """The renderer that runs on this machine would use."""
    del subject
    try:
        facts = describe()
    except WorldUnavailableError as error:
        mend = f"Correct what the message names, or unset {VARIABLE}."
        yield Diagnosis(NAME, DiagnosisState.PROBLEM, str(error), mend)
        return
    yield Diagnosis(NAME, DiagnosisState.OK, f"renderer {facts['renderer']}")
