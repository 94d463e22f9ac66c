"""The benchmarks: tasks, rules, scoring, and the observation policy of each."""
