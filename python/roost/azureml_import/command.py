"""The command line of the report."""

from __future__ import annotations

import argparse
import json
import os
import shutil
import sys
from typing import List, Optional

from .analyse import analyse
from .config_file import look_for_config
from .found import FileReport
from .markdown import tables
from .report import Style, as_json, as_text, exit_code
from .sources import BadInput
from .trial import CannotTry, can_be_tried, try_file
from .world import World

_DESCRIPTION = """\
Reads code written for Azure ML SDK v1 and tells of each file whether it runs, runs with these
changes, or lacks something. The code is read, not run, unless --try is given."""
_EPILOG = """\
Notebooks: cell 3:2 is line 2 of the third cell, counting text cells.
Exit code: 0 all runs as it stands, 1 something is to be changed, lacks, could not be read or did
not do as foreseen when it was tried, 2 the input is bad."""


def main(arguments: Optional[List[str]] = None) -> int:
    options = _parser().parse_args(arguments)
    if options.markdown:
        print(tables())
        return 0
    if options.path is None:
        return _refuse("name a folder, a script or a notebook")
    world = World(options.offline, options.users_python)
    try:
        reports = analyse(options.path, world)
        if options.try_out:
            _try(reports, options.path, world)
    except (BadInput, CannotTry) as error:
        return _refuse(str(error))
    config = look_for_config(options.path, reports)
    try:
        if options.json:
            json.dump(as_json(reports, config), sys.stdout, indent=2)
            print()
        else:
            _make_printable()
            asked = world.server() is not None
            print(as_text(reports, config, _style(options.no_color), options.quiet, asked))
        sys.stdout.flush()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    return exit_code(reports)


def _try(reports: List[FileReport], path: str, world: World) -> None:
    root = path if os.path.isdir(path) else os.path.dirname(path) or "."
    for report in reports:
        if can_be_tried(report):
            report.trial = try_file(report, root, world)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="roost import azureml",
        description=_DESCRIPTION,
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "path", nargs="?", metavar="FOLDER|NOTEBOOK", help="a folder, a .py or an .ipynb file"
    )
    parser.add_argument("--json", action="store_true", help="every use, for programs")
    parser.add_argument("-q", "--quiet", action="store_true", help="one line per file, and the sum")
    parser.add_argument(
        "--try", dest="try_out", action="store_true",
        help="run what is foreseen to run, in a copy of its folder, and compare",
    )  # fmt: skip
    parser.add_argument(
        "--offline", action="store_true", help="ask no server, no package index, no address"
    )
    parser.add_argument("--users-python", metavar="FILE", help="the Python that your code runs in")
    parser.add_argument("--no-color", action="store_true", help="no colours, as NO_COLOR")
    parser.add_argument("--markdown", action="store_true", help=argparse.SUPPRESS)
    return parser


def _refuse(message: str) -> int:
    print(f"roost import azureml: {message}", file=sys.stderr)
    return 2


def _make_printable() -> None:
    """A terminal that cannot show a letter gets a question mark, not a traceback."""
    reconfigure = getattr(sys.stdout, "reconfigure", None)
    if reconfigure is not None:
        reconfigure(errors="replace")


def _style(no_color: bool) -> Style:
    terminal = sys.stdout.isatty()
    plain = no_color or "NO_COLOR" in os.environ or os.environ.get("TERM") == "dumb"
    width = shutil.get_terminal_size((100, 24)).columns if terminal else 100
    return Style(terminal and not plain, width)
