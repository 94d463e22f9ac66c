"""Counterfactuals by rule: no model is asked."""
