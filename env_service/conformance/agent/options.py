"""How agents are checked: options, TARGET, and the session of an agent that you start."""

from __future__ import annotations

import secrets
import shlex
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

from env_service.sandbox.agents import AgentCommand, AgentSpec, find_agent, parse_agent
from env_service.sandbox.errors import AgentSpecError
from env_service.sandbox.options import SandboxOptions
from env_service.storage.atomic_files import write_atomically


@dataclass(frozen=True, slots=True)
class AgentOptions:
    """Options of `check_agent`.

    Attributes:
        only: Ids of the rules to check; all if empty.
        jobs: The number of scenes that run at the same time. An external agent plays one at a
            time.
        start_limit: Seconds within which an agent has to call Hello.
        scene_limit: Seconds for one scene after Hello, without the waits that the service causes.
        logs: The folder for the agent's output in each scene; None discards it.
        sandbox: The agent's isolation.
        subject: The agent's name in the report.
        listen: The address for an external agent, ``unix:/path`` or ``host:port``.
        token: The external agent's token; empty draws one.
        token_folder: The folder for the file with the external agent's token.
        progress: Called after each scene with the numbers of scenes played and planned.
    """

    only: tuple[str, ...] = ()
    jobs: int = 4
    start_limit: float = 60.0
    scene_limit: float = 30.0
    logs: Path | None = None
    sandbox: SandboxOptions = field(default_factory=SandboxOptions)
    subject: str = "agent"
    listen: str = ""
    token: str = ""
    token_folder: Path | None = None
    progress: Callable[[int, int], None] | None = None


# --- TARGET


def parse_target(text: str, words: Sequence[str] = ()) -> AgentSpec:
    """Reads a target as ``houseguest run`` reads ``--agent``; ``words`` are the agent's options.

    The command of a bundled agent, or of one in a folder, gets the words unchanged. Raises
    UnknownNameError and AgentSpecError.
    """
    manifest = find_agent(text)
    if manifest is None:
        return parse_agent(text, shlex.join(words))
    manifest.check_requirements()
    agent = AgentCommand((*manifest.command, *words), manifest.shared)
    return AgentSpec(f"{text} {shlex.join(words)}".rstrip(), agent)


# --- The session of an external agent

SESSION_FILE = "seat-0"


@contextmanager
def external_lease(options: AgentOptions) -> Iterator[AgentOptions]:
    """Yields the options with a token, whose file exists in ``token_folder`` meanwhile.

    Prints on standard error how to start the agent. Raises AgentSpecError if ``listen`` is empty,
    and OSError.
    """
    if not options.listen:
        raise AgentSpecError(
            "an external agent needs an address to call: set one to listen on, unix:/path or"
            " host:port"
        )
    token = options.token or secrets.token_urlsafe(16)
    shown = token
    written: Path | None = None
    if options.token_folder is not None:
        options.token_folder.mkdir(parents=True, exist_ok=True)
        written = options.token_folder / SESSION_FILE
        write_atomically(written, f"{token}\n".encode())
        shown = f"$(cat {written})"
    sys.stderr.write(
        "Start the agent with these variables, and start it again whenever it has exited:\n"
        f"  HOUSEGUEST_ADDRESS={options.listen}\n  HOUSEGUEST_TOKEN={shown}\n"
    )
    sys.stderr.flush()
    try:
        yield replace(options, token=token)
    finally:
        if written is not None:
            written.unlink(missing_ok=True)
