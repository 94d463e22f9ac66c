"""The judge `model`: a language model that is asked about plans, and calibrated against people."""
