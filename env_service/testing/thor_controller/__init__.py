"""The contract of `ThorController` as tests, with a class for each subject."""
