"""Readers, one file a format. Each has a module-level ``READER``, found by the entry points ``boresight.readers``."""
