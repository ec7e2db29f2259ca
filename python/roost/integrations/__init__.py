"""Loggers and callbacks for other libraries: roost.integrations.lightning, .transformers."""
