"""The commands of LLM-BabyBench, as the command line lists them."""

from env_service.cli.command import Command

BABYBENCH = Command(
    "env_service.suites.babybench.commands:babybench_command",
    "LLM-BabyBench: data sets, steps of an answer.",
)
