"""AsgardBench: household tasks that an agent solves by looking, one action a turn."""
