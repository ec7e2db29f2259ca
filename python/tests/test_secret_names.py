"""The rule of secret names is the same here and in the server."""
import re
from pathlib import Path

from roost.secret_names import names_secret

CASES = Path(__file__).resolve().parents[2] / "src" / "domain" / "secret_names_test.cc"


def names(of):
    block = re.search(rf"{of}.*?EXPECT", CASES.read_text(), re.DOTALL).group()
    return re.findall(r'"([^"]*)"', block)


def test_the_rule_is_that_of_the_server():
    secrets, others = names("ASecretIsKnownByItsLastWord"), names("WhatOnlyLooksLikeOneIsNone")
    assert len(secrets) > 15 and len(others) > 15
    assert [name for name in secrets if not names_secret(name)] == []
    assert [name for name in others if names_secret(name)] == []
