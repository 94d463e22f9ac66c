"""The judge `learned`: a classifier of pairs of plans, to be trained."""
