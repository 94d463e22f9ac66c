"""Examples in ``--help`` that work here: with a suite that is installed."""

from __future__ import annotations


def with_sample(text: str) -> str:
    """Fills in ``SUITE`` and ``TASKS`` from the first conformance sample.

    These tasks play quickly and need no data. Returns the text unchanged if no plug-in has a
    sample that loads.
    """
    from env_service.conformance.sample import find_sample
    from env_service.domain.names import UnknownNameError
    from env_service.plugins import PluginError

    try:
        sample = find_sample()
    except (PluginError, UnknownNameError):
        return text
    tasks = ",".join(sample.tasks)
    return text.replace("SUITE", sample.suite).replace("TASKS", tasks or "TASKS")
