"""Data sets: the suite's questions with their answers, as files."""
