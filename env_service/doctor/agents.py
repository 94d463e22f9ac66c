"""The agents: whether they could be started, and what one says of itself."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator

from env_service.doctor.finding import Finding, State, Subject
from env_service.doctor.self_check import check_itself
from env_service.sandbox.agents import (
    GuestCommand,
    ImageGuest,
    bundled_agents,
    find_agent,
    parse_agent,
)
from env_service.sandbox.choosing import choose
from env_service.sandbox.errors import AgentSpecError, GuestStartError
from env_service.sandbox.manifest import read_manifest

NAME = "the agent"
_FOLLOW = "Change what the message names, then ask again."
_ELSEWHERE = "Check it where you start it: houseguest conformance agent plays all rules against it."


def bundled(subject: Subject) -> Iterator[Finding]:
    """The agents that are known by name: those that can be started together."""
    del subject
    ready = []
    for name, folder in sorted(bundled_agents().items()):
        try:
            manifest = read_manifest(folder)
            manifest.check_requirements()
        except AgentSpecError as error:
            mend = error.mend or _FOLLOW
            yield Finding(f"agent {name}", State.NOTE, error.what, mend)
        else:
            ready.append(name)
    if ready:
        yield Finding("agents", State.OK, f"{', '.join(ready)} can be started")


def asked_for(subject: Subject) -> Iterator[Finding]:
    """The agent that the user asks about: whether it can be started, and its own check."""
    if not subject.agent:
        return
    options = subject.agent_options or {}
    try:
        manifest = find_agent(subject.agent)
        guest = parse_agent(subject.agent, subject.agent_args, options).guest
        if isinstance(guest, GuestCommand):
            guest.check_wants(os.environ)
    except AgentSpecError as error:
        yield Finding(NAME, State.PROBLEM, error.what, error.mend or _FOLLOW)
        return
    except ValueError as error:
        yield Finding(NAME, State.PROBLEM, str(error), _FOLLOW)
        return
    if manifest is None:
        yield _command(guest)
    elif not manifest.check:
        yield Finding(NAME, State.OK, "can be started; it has no check of its own")
    else:
        words = choose(manifest.options, options).words
        yield from check_itself(manifest.name, (*manifest.check, *words))


def _command(guest: GuestCommand | ImageGuest | None) -> Finding:
    if guest is None:
        return Finding(NAME, State.NOTE, "is started elsewhere", _ELSEWHERE)
    if isinstance(guest, ImageGuest):
        return _image(guest)
    program = guest.command[0]
    if shutil.which(program) is None:
        mend = "Install it, or give its whole path."
        return Finding(NAME, State.PROBLEM, f"there is no program {program}", mend)
    return Finding(NAME, State.OK, f"{program} is there; it has no check of its own")


def _image(guest: ImageGuest) -> Finding:
    # Imported where used: the engine's client takes a while to load.
    from env_service.sandbox.docker.images import check_image  # noqa: PLC0415 - see above

    try:
        check_image(guest)
    except GuestStartError as error:
        return Finding(NAME, State.PROBLEM, str(error), _FOLLOW)
    return Finding(NAME, State.OK, f"the engine has the image {guest.reference}")
