"""Starting a guest: which command it is, and the process that runs it."""
