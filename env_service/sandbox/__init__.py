"""Starting an agent: which command it is, and the process that runs it."""
