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
from .markdown import tables
from .report import Style, as_json, as_text, exit_code
from .sources import BadInput

_DESCRIPTION = """\
Reads code written for Azure ML SDK v1 and tells what of it Roost has, has with a difference, or
lacks. The code is read, never run."""
_EPILOG = """\
Notebooks: cell 3:2 is line 2 of the third cell, counting text cells.
Exit code: 0 all runs, 1 something lacks or could not be read, 2 the input is bad."""


def main(arguments: Optional[List[str]] = None) -> int:
    options = _parser().parse_args(arguments)
    if options.markdown:
        print(tables())
        return 0
    if options.path is None:
        return _refuse("name a folder, a script or a notebook")
    try:
        reports = analyse(options.path)
    except BadInput as error:
        return _refuse(str(error))
    config = look_for_config(options.path, reports)
    try:
        if options.json:
            json.dump(as_json(reports, config), sys.stdout, indent=2)
            print()
        else:
            _make_printable()
            print(as_text(reports, config, _style(options.no_color), options.quiet))
        sys.stdout.flush()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    return exit_code(reports)


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
