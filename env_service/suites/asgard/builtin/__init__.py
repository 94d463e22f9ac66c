"""AsgardBench's twelve types of task in built-in rooms: any number by seed, without a data pack.

A task is made from its name alone. Its plan is one in the published schema (docs/asgard.md,
"Task"), so that everything behind it is the code that plays the official tasks.
"""
