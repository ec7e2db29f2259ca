"""The log as people who search the logs of web services know it."""

import logging
import os
import sys
from typing import Iterator

_MOST_LINES = 200

logger = logging.getLogger("azmlinfsrv")


def set_up() -> None:
    """Loggers of the script's own are left as they are."""
    level = getattr(logging, os.environ.get("AZUREML_LOG_LEVEL", "INFO").upper(), logging.INFO)
    handler = logging.StreamHandler(sys.stdout)
    handler.setFormatter(
        logging.Formatter("%(asctime)s %(levelname).1s [%(process)d] %(name)s - %(message)s")
    )
    logger.addHandler(handler)
    logger.setLevel(level if isinstance(level, int) else logging.INFO)
    logger.propagate = False


def show_models(folder: str) -> None:
    """What lies below the folder of the models: most scripts that fail look in the wrong place."""
    logger.info("Model Directory Contents:")
    for number, line in enumerate(_tree(folder, "")):
        if number == _MOST_LINES:
            logger.info("Output Truncated. First %d lines shown.", _MOST_LINES)
            return
        logger.info("%s", line)


def _tree(folder: str, indent: str) -> Iterator[str]:
    if not indent:
        yield folder
    try:
        names = sorted(os.listdir(folder))
    except OSError as error:
        yield f"{indent}    ({error.strerror})"
        return
    for name in names:
        path = os.path.join(folder, name)
        is_folder = os.path.isdir(path) and not os.path.islink(path)
        yield f"{indent}    {name}{'/' if is_folder else ''}"
        if is_folder:
            yield from _tree(path, indent + "    ")
