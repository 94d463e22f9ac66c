"""``python -m env_service`` is the ``houseguest`` command."""

from env_service.cli.main import main

main()
