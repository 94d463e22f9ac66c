"""The contract of `ThorController` as tests, a class for each subject."""
