"""Kinds of samples."""
