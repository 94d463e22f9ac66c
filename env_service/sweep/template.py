"""The commented plan that ``houseguest init`` writes, for what is installed."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence

from env_service.conformance.sample import find_sample
from env_service.plugins import PluginError
from env_service.sandbox.agent_manifest import AgentManifest, read_manifest
from env_service.sandbox.agents import agent_folders
from env_service.sandbox.errors import AgentSpecError
from env_service.suites.registry import suite_names

_HEAD = """\
# A plan for `houseguest sweep`: every agent plays every suite.
#
#   houseguest sweep {file} --dry-run    check it, and estimate steps, cost and time
#   houseguest sweep {file}              play it; the same command resumes
#
# Keys in [defaults], [[agents]], [[suites]] and [[overrides]] are the options of
# `houseguest run`, without the dashes: task-set, tasks, limit, repeats, parallel, …
# A list plays one run for each value: seed = [0, 1, 2].

out = "runs"                # parent folder of the run folders
{baseline}
[defaults]                  # for every run; agents, suites and overrides can change them
seed = [0, 1]               # seeds are repeats: they share a cell of the table
repeats = 1                 # how often a run plays each task
parallel = 1                # sessions of a run at once
# episode-budget = 600      # seconds that an agent may take for an episode
# track = "mlflow"          # send every run to MLflow or W&B ("wandb") while it plays

[limits]
# runs = 4                  # runs at once on this machine; default: one a core
# max-cost = 20.0           # US dollars for all runs together, as agents report them
# max-tokens = 10_000_000   # the same for tokens
retries = 5                 # how often a run that stops starts again without progress
# [limits.servers]          # runs at once by model server
# "http://127.0.0.1:8000/v1" = 2
"""

_OVERRIDES = """
# Options for some combinations; names and shell patterns.
# [[overrides]]
# agents = ["{agent}"]
# suites = ["{suite}"]
# limit = 5                 # or skip = true
"""


def plan_template(file: str) -> str:
    """A plan that can be played at once, in which further agents and suites are commented out.

    ``file`` is the plan's name, for its comments. Raises PluginError and UnknownNameError if no
    suite with quick tasks is installed.
    """
    sample = find_sample()
    manifests = list(_manifests())
    # One agent that plays any suite; the others may need a model, a file or a certain suite.
    ready = [each for each in manifests if _is_ready(each)][:1]
    others = [each for each in manifests if each not in ready and each.plays_alone]
    baseline = ready[0].name if ready else ""
    shown = f'baseline = "{baseline}"         # the agent that others are compared with\n'
    parts = [_HEAD.format(file=file, baseline=shown if baseline else "")]
    parts += [_agent(each, played=each in ready) for each in (*ready, *others)]
    parts.append(_suite(sample.suite, sample.tasks))
    further = [name for name in suite_names() if name != sample.suite]
    parts += [f'\n# [[suites]]\n# suite = "{name}"\n' for name in further]
    parts.append(_OVERRIDES.format(agent=baseline or "NAME", suite=sample.suite))
    return "".join(parts)


def _manifests() -> Iterator[AgentManifest]:
    for folder in agent_folders().values():
        try:
            yield read_manifest(folder)
        except (AgentSpecError, PluginError, OSError):
            continue


def _is_ready(manifest: AgentManifest) -> bool:
    """Whether the agent plays without any option, in this Python."""
    required = any(option.required for option in manifest.options)
    ours = manifest.command[0] == sys.executable
    return ours and manifest.plays_alone and not (required or manifest.missing())


def _agent(manifest: AgentManifest, *, played: bool) -> str:
    lines = ["[[agents]]", f'agent = "{manifest.name}"']
    for option in manifest.options:
        if option.required:
            key = option.name.removeprefix("--")
            value = option.metavar or "VALUE"
            lines.append(f'{key} = "{value}"'.ljust(28) + f"# {option.help}")
    about = f"\n# {manifest.description}\n"
    return about + _commented(lines, commented=not played)


def _suite(name: str, tasks: Sequence[str]) -> str:
    lines = ["[[suites]]", f'suite = "{name}"']
    if tasks:
        listed = ", ".join(f'"{each}"' for each in tasks)
        lines.append(f"tasks = [{listed}]")
    lines.append("limit = 5                   # only the first tasks; leave it out for all")
    return "\n" + _commented(lines, commented=False)


def _commented(lines: Sequence[str], *, commented: bool) -> str:
    return "".join(f"# {line}\n" if commented else f"{line}\n" for line in lines)
