"""What went wrong, told to a person."""


class Problem(Exception):
    """Its text is printed without a traceback: it says what was wrong and what to do."""
