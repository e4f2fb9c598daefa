"""Readers on this machine, a folder each."""
