"""The table of differences says what the facade really has, and docs/azureml.md what it says."""

import inspect
import os

import pytest
from conftest import PYTHON_FOLDER

from roost.azureml_import import installed, markdown
from roost.azureml_import.differences import ABSENT_PARTS, SECTIONS, argument_rows, rows
from roost.azureml_import.found import ABSENT
from roost.azureml_import.results import ALTERNATIVES

DOCUMENT = os.path.join(os.path.dirname(PYTHON_FOLDER), "docs", "azureml.md")


def find(name):
    """The member or class, or None."""
    owner, _, member = name.rpartition(".")
    if not owner:
        return installed.find_class(name)
    for candidate in (owner, *ALTERNATIVES.get(owner, ())):
        kind = installed.find_class(candidate)
        if kind is not None and installed.has_member(kind, member):
            if installed.find_class(f"{candidate}.{member}") is None and member[0].isupper():
                return None  # raises when it is asked for
            return installed.member_of(kind, member) or kind
    return None


def refuses(found):
    """A method that is only there to say that it is not, or what cannot be submitted."""
    if not inspect.isclass(found):
        return installed.refuses(found) or "refused" in (found.__doc__ or "")
    return any("not_here(" in inspect.getsource(kind) for kind in found.__mro__[:-1])


@pytest.mark.parametrize("row", list(rows()), ids=lambda row: row.name)
def test_row_is_true(row):
    found = find(row.name)
    if row.verdict == ABSENT:
        assert found is None or refuses(found), f"Roost has {row.name} by now"
        assert row.note, "say what to do instead"
    else:
        assert found is not None, f"Roost has no {row.name}"
        assert not installed.refuses(found), f"{row.name} only refuses"


@pytest.mark.parametrize("part", ABSENT_PARTS, ids=lambda part: part.module)
def test_part_is_absent(part):
    partly = {"azureml.contrib": "azureml.contrib.dataset"}  # azureml.contrib.services is here
    with pytest.raises(installed.Missing):
        installed.resolve(partly.get(part.module, part.module))
    for name in part.classes:
        assert installed.find_class(name) is None, f"Roost has {name} by now"
    assert part.note


def test_modules_of_sections_exist():
    for section in SECTIONS:
        for module in section.modules:
            assert installed.has_module(module), module


def test_arguments_exist():
    for section in SECTIONS:
        for argument in section.arguments:
            assert argument in argument_rows(argument.call)
            found = find(argument.call)
            assert found is not None, argument.call
            assert argument.parameter in inspect.signature(found).parameters, argument.name


def test_names_are_unique():
    names = [row.name for row in rows()]
    assert len(names) == len(set(names))


def test_the_page_holds_the_tables():
    with open(DOCUMENT, encoding="utf-8") as file:
        page = file.read()
    start, end = page.index(markdown.BEGIN), page.index(markdown.END) + len(markdown.END)
    assert page[start:end] == markdown.tables(), (
        "docs/azureml.md is old: put in the output of `python -m roost.azureml_import --markdown`"
    )
