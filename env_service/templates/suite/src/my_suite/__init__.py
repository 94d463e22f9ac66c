"""A suite for Houseguest: parcels to carry through a row of rooms."""
