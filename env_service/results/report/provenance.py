"""The facts about a run, whether it is complete, and the command that repeats it."""

import json
import re
import shlex
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from env_service.domain.text import counted, safe
from env_service.results.manifest import Manifest, machine_facts, mixture
from env_service.results.report.content import Commands, Facts, Notice
from env_service.results.report.runs import Family, ReportedRun, modified_files
from env_service.results.run_layout import LOGS
from env_service.results.run_notes import PLAY, RunStart, read_run_start
from env_service.sandbox.options import IN_PROCESS
from env_service.suites.base import Suite
from env_service.suites.selection import find_task_set

_FEW_FILES = 6
_PLACE = "PATH"
"""Replaces an unknown path."""
_DIGEST = re.compile(r"(?:[^\s@]+@)?sha256:([0-9a-f]+)")
"""A word of an agent's label that names a content; see ``env_service.sandbox.content_digest``."""
_NAME = re.compile(r"[A-Za-z_]\w*(\.[A-Za-z_]\w*)*")
"""A name of a function or a class that a program can write."""
_BUDGETS = {"agent_step_seconds": "--step-budget", "agent_episode_seconds": "--episode-budget"}


def notices(family: Family) -> tuple[Notice, ...]:
    """What a reader has to know before the numbers of these runs."""
    warnings = [warning for run in family.runs for warning in _warnings(run)]
    return tuple(Notice(text) for text in (*warnings, *_machines(family)))


def _machines(family: Family) -> Iterator[str]:
    """Warns if runs rendered the same world with different graphics."""
    seen = [machine_facts(run.manifest.world_facts) for run in family.runs]
    if any(facts != seen[0] for facts in seen):
        graphics = dict.fromkeys(safe(_mapping(facts)) or "not recorded" for facts in seen)
        yield (
            f"The runs were played with different graphics: {'; '.join(graphics)}. Their images may"
            " differ in detail."
        )


def _warnings(run: ReportedRun) -> Iterator[str]:
    summary, contents = run.summary, run.contents
    if not summary.complete:
        yield (
            f"{run.name}: not complete. {summary.overall.n} of"
            f" {counted(summary.planned, 'planned episode is', 'planned episodes are')} scored,"
            f" {len(summary.unscored)} are unscored, {summary.unplayed} were not played. The run"
            " is still in progress or was stopped. Run the same command to continue it."
        )
    withdrawn = sum(record.withdrawn_episode for record in contents.uncounted)
    if withdrawn:
        yield (
            f"{run.name}: its agent withdrew from {withdrawn} episode{'s' * (withdrawn > 1)}."
            " Such episodes do not count; their tasks are played again."
        )
    for pack in run.manifest.data:
        if pack.get("modified"):
            files = modified_files(pack)
            named = f" ({', '.join(files[:5])}{', …' if len(files) > 5 else ''})" if files else ""
            yield (
                f"{run.name}: played with modified data. Files of the data pack"
                f" {safe(str(pack.get('pack', '?')))!r} differ from upstream's{named}."
            )
    for why in mixture(run.manifest):
        yield f"{run.name}: a mixture. {why[0].upper()}{why[1:]}; see the run details."
    if run.manifest.resumed:
        yield f"{run.name}: resumed with other versions, hardware or drivers; see the run details."


def played(manifest: Manifest) -> str:
    """The suite, its rules, the task set and the world, in a line."""
    return safe(
        f"{manifest.suite}, rules version {manifest.suite_version} · task set {manifest.task_set}"
        f" ({manifest.task_set_digest[:12]}) · world {manifest.world}"
    )


def facts(run: ReportedRun) -> Facts:
    """The facts about a run, from its manifest."""
    manifest = run.manifest
    pairs = {
        "run": run.contents.path.name,
        "suite": f"{manifest.suite}, rules version {manifest.suite_version}",
        "task set": f"{manifest.task_set}, {counted(len(manifest.task_ids), 'task')} selected",
        "task set digest": manifest.task_set_digest,
        "world": _world(manifest),
        "declared by the world": _mapping(manifest.world_facts),
        "condition": _mapping(manifest.condition),
        "agent": manifest.agent,
        "agent files": _made_of(manifest),
        "declared by the agent": "; ".join(map(_declared, manifest.declared)) or "nothing",
        "seed": str(manifest.seed),
        "repeats": str(manifest.repeats),
        "budgets": ", ".join(f"{k} {v:g} s" for k, v in manifest.budgets.items()) or "none",
        "state": _state(run),
        "voided attempts": _voids(run),
        "data packs": "; ".join(map(_pack, manifest.data)) or "none",
        "versions": _mapping(manifest.versions),
        "hardware": _mapping(manifest.hardware),
        "resumed": "; ".join(map(_resumed, manifest.resumed)),
        "started": manifest.created,
        "signed by": manifest.public_key,
        "verified": "no: a report does not verify; run `houseguest verify` with this run's path",
    }
    return Facts(
        f"Run details: {run.name}",
        tuple((term, safe(text)) for term, text in pairs.items() if text),
        folded=True,
    )


def commands(runs: Sequence[ReportedRun], suite: Suite | None, title: str) -> Commands:
    """The commands that repeat runs. ``suite``, if any, allows shorter names of tasks."""
    lines = tuple(dict.fromkeys(command(run, suite) for run in runs))
    notes = []
    if any(_PLACE in line for line in lines):
        notes.append(
            f"Replace {_PLACE}-DIGITS by the path of the file or folder whose SHA-256 begins"
            " with these digits."
        )
    if any(map(_in_process, runs)):
        notes.append(
            "Lines that begin with hg. are Python, in the program that defines the agent, after"
            " `import houseguest as hg`."
        )
    return Commands(title, lines, " ".join(notes))


def _in_process(run: ReportedRun) -> bool:
    """Whether the agent was Python code, which no command can start."""
    return run.manifest.guest.get("sandbox") == IN_PROCESS


def command(run: ReportedRun, suite: Suite | None) -> str:
    """The command that repeats one run, or the Python code for an agent that is Python code.

    Without ``--out`` it writes next to the original, if that is in the default folder.
    """
    manifest, started = run.manifest, read_run_start(run.contents.path / LOGS)
    if _in_process(run):
        return safe(_call(manifest, _selection(manifest, started, suite)))
    playing = started.command == PLAY
    selected = _selection(manifest, started, suite)
    if playing:
        words = ["houseguest", "play", manifest.suite, *_as_arguments(selected)]
    else:
        words = ["houseguest", "run", "--suite", manifest.suite, *selected]
    words += ["--task-set", manifest.task_set, "--world", manifest.world]
    for name, value in manifest.condition.items():
        words += ["--set", f"{name}={value}"]
    if playing:
        words += _player(manifest.agent)
    else:
        words += ["--agent", *_agent(manifest, started.places)]
        if manifest.guest.get("sandbox") == "bwrap":
            words += ["--sandbox", "bwrap"]
    words += ["--seed", str(manifest.seed)]
    for name, option in _BUDGETS.items():
        if name in manifest.budgets:
            words += [option, f"{manifest.budgets[name]:g}"]
    if manifest.repeats > 1:
        words += ["--repeats", str(manifest.repeats)]
    return safe(shlex.join([*words, "--fresh"]))


def _call(manifest: Manifest, selection: Sequence[str]) -> str:
    """The call that repeats a run of an agent that is Python code."""
    name = manifest.agent.partition(":")[2]
    options = dict(zip(selection[::2], selection[1::2], strict=True))
    settings: dict[str, Any] = {"task_set": manifest.task_set, "world": manifest.world}
    if "--tasks" in options:
        settings["tasks"] = options["--tasks"].split(",")
    if "--limit" in options:
        settings["limit"] = int(options["--limit"])
    settings |= {"settings": dict(manifest.condition), "seed": manifest.seed}
    for budget, option in _BUDGETS.items():
        if budget in manifest.budgets:
            settings[option.removeprefix("--").replace("-", "_")] = manifest.budgets[budget]
    settings |= {"repeats": manifest.repeats, "fresh": True}
    words = [repr(manifest.suite), name if _NAME.fullmatch(name) else "agent"]
    words += [f"{key}={value!r}" for key, value in settings.items()]
    return f"hg.evaluate({', '.join(words)})"


def _as_arguments(selection: Sequence[str]) -> list[str]:
    """The options that select tasks, in the form `houseguest play` takes."""
    options = dict(zip(selection[::2], selection[1::2], strict=True))
    limit = ["--limit", options["--limit"]] if "--limit" in options else []
    return [*filter(None, options.get("--tasks", "").split(",")), *limit]


def _player(label: str) -> list[str]:
    """The player, in the form `houseguest play` takes."""
    _, _, name = label.partition(" ")
    return ["--player", name] if name else []


def _agent(manifest: Manifest, places: Mapping[str, str]) -> list[str]:
    """The agent and its options as words; a command line of the user's is one word.

    A file that the label names by its digest becomes its path from ``places``, or _PLACE.
    """
    label = manifest.agent
    if label.startswith("cmd:"):
        return [label]
    try:
        words = shlex.split(label)
    except ValueError:
        return [label]
    if not words:
        return [label]
    if words[0].startswith("image:"):
        image = manifest.guest.get("image")
        reference = image.get("reference") if isinstance(image, Mapping) else None
        name = words[0].partition("@sha256:")[0]
        return [
            f"image:{reference}" if reference else name,
            *(["--agent-args", shlex.join(words[1:])] if words[1:] else []),
        ]
    return [_place(word, places) for word in words]


def _place(word: str, places: Mapping[str, str]) -> str:
    named = _DIGEST.fullmatch(word)
    if named is None:
        return word
    path = places.get(word, "")
    if path and not path.startswith("-"):
        return path
    return f"{_PLACE}-{named[1]}"


def _selection(manifest: Manifest, started: RunStart, suite: Suite | None) -> list[str]:
    """The options that select the tasks, as the user typed them.

    If they were not recorded, the tasks are selected by group if that selects the same, else by id.
    """
    if started.tasks is not None:
        words = ["--tasks", ",".join(started.tasks)] if started.tasks else []
        return [*words, "--limit", str(started.limit)] if started.limit else words
    chosen = manifest.task_ids
    found = find_task_set(suite, manifest.task_set, manifest.condition) if suite else None
    task_set = found.task_set if found else None
    if task_set is not None:
        groups = {task.id: task.group for task in task_set.tasks}
        wanted = dict.fromkeys(groups.get(task_id, "") for task_id in chosen)
        offered = tuple(task_id for task_id, group in groups.items() if group in wanted)
        if chosen == offered[: len(chosen)]:
            words = [] if len(offered) == len(groups) else ["--tasks", _patterns(wanted)]
            return words if chosen == offered else [*words, "--limit", str(len(chosen))]
    return ["--tasks", _patterns(chosen)]


def _patterns(names: Iterable[str]) -> str:
    """Names of tasks or groups as patterns for ``--tasks``, which splits at commas."""
    return ",".join(
        name.replace("[", "[[]").replace(",", "?") if "," in name else name for name in names
    )


def _made_of(manifest: Manifest) -> str:
    """The digest of each agent that played, with its files if they are few."""
    return "; ".join(map(_agent_record, manifest.agents))


def _agent_record(record: Mapping[str, Any]) -> str:
    files = record.get("files")
    names = sorted(map(str, files)) if isinstance(files, Mapping) else []
    more = ", …" if len(names) > _FEW_FILES else ""
    named = f" ({', '.join(names[:_FEW_FILES])}{more})" if names else ""
    since = f" from {record['since']} on" if record.get("since") else ""
    return f"{str(record.get('digest', '?'))[:12]}{named}{since}"


def _resumed(item: Mapping[str, Any]) -> str:
    parts = (item.get(name) for name in ("versions", "world_facts"))
    return " in a world of ".join(_short(part) for part in parts if part)


def _world(manifest: Manifest) -> str:
    versions = _mapping(manifest.packages)
    return f"{manifest.world} ({versions})" if versions else manifest.world


def _state(run: ReportedRun) -> str:
    summary = run.summary
    if summary.complete:
        return f"complete: {counted(summary.planned, 'episode')} scored"
    return (
        f"not complete: {summary.overall.n} of {summary.planned} scored,"
        f" {len(summary.unscored)} unscored, {summary.unplayed} not played"
    )


def _voids(run: ReportedRun) -> str:
    counts = Counter(void.fault for void in run.contents.voids if not void.collateral)
    return ", ".join(f"{fault} {count}" for fault, count in counts.most_common()) or "none"


def _declared(item: Mapping[str, Any]) -> str:
    return ", ".join(
        f"{key} {_short(value)}" for key, value in item.items() if value not in ("", {}, [])
    )


def _pack(pack: Mapping[str, Any]) -> str:
    name = str(pack.get("pack", "?"))
    rest = {key: value for key, value in pack.items() if key != "pack"}
    return f"{name}: {_declared(rest)}" if rest else name


def _mapping(values: Mapping[str, Any]) -> str:
    return ", ".join(f"{name} {_short(value)}" for name, value in values.items())


def _short(value: object) -> str:
    if isinstance(value, Mapping):
        return f"({_mapping(value)})"
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 300 else text[:299] + "…"
