"""From paths to reports: reads, parses, walks twice, judges."""

from __future__ import annotations

import ast
import os
import re
import warnings
from typing import List, Optional, Set, Tuple

from .foresee import Foresight, ReadScript
from .found import ABSENT, DIFFERENT, SAME, FileReport, Finding, Piece, Source, Unread
from .judge import judge, judge_shell, judge_strings
from .sources import find_files, find_neighbours, read_source
from .values import Project
from .walk import Walk
from .world import World

_PYTHON_2 = re.compile(
    r"^\s*print\s+[^(=\s]|^\s*except\s+[\w.]+\s*,\s*\w+\s*:|^\s*raise\s+\w+\s*,|^\s*exec\s+['\"]"
)
_IMPORT_LINE = re.compile(r"^\s*(?:from\s+azure(?:ml|\.ai)\b.*import\s|import\s+azure(?:ml|\.ai))")
_AZURE = re.compile(r"azure|\baz\b")
_Trees = List[Tuple[Piece, ast.Module]]


def analyse(path: str, world: Optional[World] = None) -> List[FileReport]:
    """One report per script and notebook. With a `world` to ask, also what will happen when it is
    run. Raises BadInput."""
    project = Project()
    names = find_files(path)
    neighbours = find_neighbours(path) if names == [path] else []
    walks = {name: Walk(name, project) for name in names}
    if not any(map(_mentions_azure, [*names, *neighbours])):
        neighbours, walks = [], {}
    for name in neighbours:
        _walk(Walk(name, project), read_source(name))
    for name, walk in walks.items():
        _walk(walk, read_source(name))
    reports = []
    root = path if os.path.isdir(path) else os.path.dirname(path)
    foresight = Foresight(world, root, _script_reader(project)) if world is not None else None
    for name in names:  # read again: the trees of a large project would fill the memory
        source = read_source(name)
        trees = _walk(walks[name], source) if name in walks else []
        reports.append(_report(source, walks.get(name)))
        if foresight is not None and reports[-1].uses_azureml:
            reports[-1].foreseen = foresight.look(source, trees)
    if foresight is not None:
        _leave_to_submitters(reports, foresight.submitted)
    return reports


def _leave_to_submitters(reports: List[FileReport], submitted: Set[str]) -> None:
    """A script that a run starts with is called as its submitter says, with his environment: what
    it needs to be called by hand is nobody's concern."""
    for report in reports:
        if os.path.abspath(report.path) in submitted:
            report.foreseen, report.submitted = [], True


def _script_reader(project: Project) -> ReadScript:
    def read(path: str, text: str) -> Tuple[_Trees, List[str], List[str]]:
        source = Source(path, [Piece("\n".join(text.splitlines()) + "\n")])
        walk = Walk(path, project)
        _walk(walk, source)
        source.unread.clear()
        trees = _walk(walk, source)
        findings = [finding for finding in map(judge, walk.uses) if finding is not None]
        lacking = [f"{f.symbol}: {f.note}" for f in findings if f.verdict == ABSENT]
        return trees, list(dict.fromkeys(lacking)), [unread.reason for unread in source.unread]

    return read


def _mentions_azure(name: str) -> bool:
    source = read_source(name)
    texts = [piece.text for piece in source.pieces] + [line.text for line in source.shell_lines]
    return any(_AZURE.search(text) for text in texts)


def _report(source: Source, walk: Optional[Walk]) -> FileReport:
    findings = judge_shell(source.shell_lines)
    if walk is not None:
        findings += [finding for finding in map(judge, walk.uses) if finding is not None]
        findings += judge_strings(walk.strings)
    seen = list(dict.fromkeys(findings))
    worst = {ABSENT: 0, DIFFERENT: 1, SAME: 2}
    seen.sort(key=lambda f: (f.place.cell or 0, f.place.line, worst[f.verdict]))
    return FileReport(source.path, seen, _worth_telling(source, seen))


def _worth_telling(source: Source, findings: List[Finding]) -> List[Unread]:
    """Broken code in a file that has nothing to do with azureml is not this report's business."""
    text = "".join(piece.text for piece in source.pieces)
    concerned = not source.pieces or findings or "azureml" in text
    return list(dict.fromkeys(source.unread)) if concerned else []


def _parse(source: Source) -> _Trees:
    trees = []
    for piece in source.pieces:
        if not piece.is_python:
            trees.append((piece, ast.Module(body=[], type_ignores=[])))
            continue
        tree, problem = _parse_piece(piece)
        if problem is not None:
            source.unread.append(problem)
            tree = _imports_only(piece)
        if tree is not None:
            trees.append((piece, tree))
    return trees


def _parse_piece(piece: Piece) -> Tuple[Optional[ast.Module], Optional[Unread]]:
    try:
        with warnings.catch_warnings():  # "invalid escape sequence" is about the user's strings
            warnings.simplefilter("ignore")
            return ast.parse(piece.text), None
    except SyntaxError as error:
        line = error.lineno or 1
        lines = piece.text.splitlines()
        culprit = lines[line - 1] if line <= len(lines) else ""
        reason = f"not Python: {error.msg}"
        if _PYTHON_2.match(culprit):
            reason = "written for Python 2: it does not run on Python 3"
        return None, Unread(piece.place(line), reason)
    except (ValueError, RecursionError, MemoryError) as error:
        return None, Unread(piece.place(1), f"not Python: {error or type(error).__name__}")


def _imports_only(piece: Piece) -> ast.Module:
    """From code that does not parse: the imports that stand on a line of their own."""
    module = ast.Module(body=[], type_ignores=[])
    for number, line in enumerate(piece.text.splitlines(), 1):
        if not _IMPORT_LINE.match(line):
            continue
        try:
            tree = ast.parse(line.strip())
        except (SyntaxError, ValueError):
            continue
        module.body += [ast.increment_lineno(node, number - 1) for node in tree.body]
    return module


def _walk(walk: Walk, source: Source) -> _Trees:
    trees: _Trees = []
    try:
        trees = _parse(source)
        walk.run(trees)
    except RecursionError:
        source.unread.append(Unread(None, "nested too deeply to be read to the end"))
    return trees
