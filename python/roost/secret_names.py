"""Which environment variables are secrets by their names: the rule of src/domain/secret_names.h."""

from __future__ import annotations

import re

__all__ = ["names_secret"]

_SECRETS = {"TOKEN", "SECRET", "PASSPHRASE", "APIKEY", "APITOKEN"}
# Tokens of a text.
_OF_TEXT = {
    *("PAD", "BOS", "EOS", "UNK", "MASK", "SEP", "CLS", "SPECIAL", "START", "STOP", "END", "IMAGE"),
    *("NEXT", "PER", "EACH", "PREFIX", "SUFFIX"),
}
# Keys of data.
_OF_DATA = {
    *("PUBLIC", "PRIMARY", "FOREIGN", "SORT", "PARTITION", "CACHE", "LABEL", "IMAGE", "TEXT"),
    *("TARGET", "FEATURE", "INPUT", "OUTPUT", "GROUP", "HASH", "MAP", "DICT", "METRIC", "DATA"),
    *("INDEX", "JOIN", "BATCH", "SAMPLE", "COLUMN", "ROW", "FIELD", "STATE", "OBJECT", "RNG"),
    *("RANDOM", "SEED"),
}


def names_secret(variable: str) -> bool:
    words = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", variable).upper()
    parts = [word for word in re.split(r"[_.-]+", words) if word]
    while parts:
        parts[-1] = parts[-1].rstrip("0123456789")
        if parts[-1]:
            break
        parts.pop()
    if not parts:
        return False
    last, before = parts[-1], parts[-2] if len(parts) > 1 else ""
    if last == "TOKEN" and before in _OF_TEXT:
        return False
    if last in _SECRETS or last.endswith(("PASSWORD", "PASSWD")):
        return True
    if last == "STRING":
        return before == "CONNECTION"
    return last == "KEY" and bool(before) and before not in _OF_DATA
