"""A Python with Lightning and transformers, which is no part of every run of the tests: it is a gigabyte, and takes minutes."""
import os

import pytest

from torch_python import TORCH, find_python, make_python

PACKAGES = [TORCH, "lightning", "transformers", "accelerate"]
WANTED = "ROOST_TEST_HUB"


def hub_python() -> str:
    """Its interpreter. Skips unless it is there already, or the variable asks for it."""
    found = find_python("hub", PACKAGES)
    if not found and os.environ.get(WANTED):
        found = make_python("hub", PACKAGES)
        if not found:
            pytest.skip("Lightning and transformers cannot be had from the package index")
    if not found:
        pytest.skip(f"there is no Python with Lightning and transformers; {WANTED}=1 makes one, once, of a gigabyte")
    return found
