"""Measurements. Numbers in the documentation come from here."""
