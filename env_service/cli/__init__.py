"""The `houseguest` command, one file a command group."""
