"""Scenes of a live simulator written down, in the form in which the household world reads them."""
