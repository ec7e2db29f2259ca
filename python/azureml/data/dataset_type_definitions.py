"""Words that say how files of tables are read. Roost has no tables yet; the words are harmless."""

from enum import Enum

__all__ = ["FileHandlingOption", "PromoteHeadersBehavior"]


class PromoteHeadersBehavior(Enum):
    NO_HEADERS = 0
    ONLY_FIRST_FILE_HAS_HEADERS = 1
    COMBINE_ALL_FILES_HEADERS = 2
    ALL_FILES_HAVE_SAME_HEADERS = 3


class FileHandlingOption(Enum):
    STREAM = 0
    DOWNLOAD = 1
    MOUNT = 2
