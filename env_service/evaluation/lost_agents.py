"""Lost agents whose sessions were given up, in words."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

from env_service.domain.failure import AgentLossClass, EpisodePosition, LostAgent
from env_service.domain.text import safe
from env_service.gateway.agent_supervisor import MISUSED
from env_service.gateway.run import Run

_MEANING = {
    AgentLossClass.IMAGE_MISSING: "has no image",
    AgentLossClass.START_FAILED: "did not start",
    AgentLossClass.PROTOCOL_ERROR: "broke the protocol",
    AgentLossClass.AGENT_CRASH: "crashed",
    AgentLossClass.AGENT_OOM: "ran out of memory",
    AgentLossClass.AGENT_TIMEOUT: "ran out of time",
    AgentLossClass.AGENT_LOST: "left",
}


def started_wrongly(run: Run, lost: Sequence[LostAgent]) -> str:
    """Why the agents rejected their arguments, if that alone stopped a run without any episode.

    Empty otherwise. ``lost`` are the agents whose sessions were given up.
    """
    folder = run.context.folder
    if folder.finished() or folder.voids() or folder.uncounted():
        return ""
    if any(each.exit_code != MISUSED for each in lost):
        return ""
    last = safe_lines(_without_usage(lost[0].log_tail)) or "(no output)"
    return f"The agent rejected its arguments (exit code {MISUSED}):\n{last}"


def _without_usage(text: str) -> str:
    """An agent's last output from its last line with "error:", if any: its usage text is long."""
    lines = text.splitlines()
    errors = [place for place, line in enumerate(lines) if "error:" in line.lower()]
    return "\n".join(lines[errors[-1] :] if errors else lines)


def report_lost(lost: Sequence[LostAgent], *, stops_run: bool, say: Callable[[str], None]) -> str:
    """Says how agents were lost, and returns it as one sentence.

    Agents that were lost in the same way share a message. If ``stops_run``, says only their last
    output, because the sentence is also the reason why the run stopped.
    """
    sentences = []
    for each in _merged(lost):
        sentence = _sentence(each)
        output = safe_lines(each.log_tail)
        last = safe(each.log_tail.strip().rpartition("\n")[2])
        sentences.append(f"{sentence}: {last}" if last else sentence)
        if not stops_run:
            ending = f"Its last output:\n{output}" if output else "It printed nothing."
            say(f"{sentence}. {ending}")
        elif output.strip() != last:
            say(f"Last output of the agent of {_sessions(each)}:\n{output}")
        elif not last:
            say(f"The agent of {_sessions(each)} printed nothing.")
    return "; ".join(sentences)


def safe_lines(text: str) -> str:
    """An agent's output, with control characters replaced for the terminal."""
    return "\n".join(map(safe, text.splitlines()))


def _merged(lost: Iterable[LostAgent]) -> list[LostAgent]:
    """Merges agents that were lost in the same way; keeps the position of an agent lost alone."""
    alike: dict[LostAgent, list[LostAgent]] = {}
    for each in lost:
        alike.setdefault(replace(each, sessions=(), position=None), []).append(each)
    return [
        group[0]
        if len(group) == 1
        else replace(
            kind, sessions=tuple(sorted(number for each in group for number in each.sessions))
        )
        for kind, group in alike.items()
    ]


def _sentence(lost: LostAgent) -> str:
    parts = [f"{lost.failure.value}: the agent of {_sessions(lost)} {_MEANING[lost.failure]}"]
    if lost.problem:
        parts.append(f"({safe(lost.problem)})")
    if lost.exit_code is not None:
        parts.append(_ending(lost.exit_code))
    if lost.times > 1:
        parts.append(f"{lost.times} times in a row before an episode began")
    if lost.offence is not None:
        offence = lost.offence
        at = _at(offence.position)
        parts.append(f"first refused{at} as {offence.reason} ({safe(offence.message)})")
    elif lost.position is not None:
        parts.append(f"last seen{_at(lost.position)}")
    return ", ".join(parts).replace(", (", " (")


def _sessions(lost: LostAgent) -> str:
    numbers = ", ".join(map(str, lost.sessions))
    return f"session {numbers}" if len(lost.sessions) == 1 else f"sessions {numbers}"


def _ending(code: int) -> str:
    return f"exit code {code}" if code >= 0 else f"killed by signal {-code}"


def _at(position: EpisodePosition | None) -> str:
    if position is None:
        return " outside of an episode"
    return f" at step {position.step} of {safe(position.task_id)} ({position.episode_id})"
