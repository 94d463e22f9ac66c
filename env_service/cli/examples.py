"""Examples in ``--help`` that work here: with a suite that is installed."""

from __future__ import annotations


def with_sample(text: str) -> str:
    """The text with ``SUITE`` and ``TASKS`` as the first conformance sample has them, which is
    quick and needs no data; unchanged where no plug-in brings one that loads."""
    from env_service.conformance.sample import find_sample
    from env_service.domain.names import UnknownNameError
    from env_service.plugins import PluginError

    try:
        sample = find_sample()
    except (PluginError, UnknownNameError):
        return text
    tasks = ",".join(sample.tasks)
    return text.replace("SUITE", sample.suite).replace("TASKS", tasks or "TASKS")
