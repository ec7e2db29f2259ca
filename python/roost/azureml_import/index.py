"""Which versions of a package can be had, from where pip looks for packages."""

from __future__ import annotations

import functools
import html.parser
import os
import re
import subprocess
import urllib.parse
import urllib.request
from typing import Any, Dict, List, NamedTuple, Optional, Tuple

from .memo import once

_PATIENCE_SECONDS = 8.0
_LARGEST_PAGE = 32 << 20


class File(NamedTuple):
    name: str
    url: str
    needs_python: str
    yanked: bool


class Index:
    """Reads pip's own settings: index, more indexes, folders of wheels, and whether it may ask."""

    def __init__(self, python: str, offline: bool = False) -> None:
        self._python = python
        self._offline = offline

    @once
    def _settings(self) -> Dict[str, List[str]]:
        settings: Dict[str, List[str]] = {}
        try:
            done = subprocess.run(
                [self._python, "-m", "pip", "config", "list"],
                capture_output=True,
                text=True,
                stdin=subprocess.DEVNULL,
                cwd="/",
                timeout=30,
            )
        except (OSError, subprocess.TimeoutExpired):
            return settings
        for line in done.stdout.splitlines():
            found = re.match(r"(?:global|install|:env:)\.([\w-]+)=(.*)$", line.strip())
            if found:
                value = found.group(2).strip().strip("'\"")
                settings[found.group(1)] = re.split(r"\s+|\\n", value.strip())
        return settings

    def _places(self) -> Tuple[List[str], List[str]]:
        """Indexes and folders."""
        settings = self._settings()
        links = settings.get("find-links", [])
        if settings.get("no-index", ["0"])[0].lower() in ("1", "true", "yes", "on"):
            return [], links
        default = _default_index(self._python)
        indexes = settings.get("index-url", [default] if default else [])
        return [*indexes, *settings.get("extra-index-url", [])], links

    def folders(self) -> List[List[str]]:
        """The files of the folders of wheels, by their paths."""
        found = []
        for place in self._places()[1]:
            path = urllib.parse.unquote(re.sub(r"^file://", "", place))
            if os.path.isdir(path):
                found.append([os.path.join(path, name) for name in sorted(os.listdir(path))])
        return found

    @once
    def files(self, name: str) -> Optional[List[File]]:
        """None if no index answered, so that nobody can tell."""
        plain = re.sub(r"[-_.]+", "-", name).lower()
        indexes, folders = self._places()
        found: List[File] = []
        answered = False
        for folder in folders:
            listed = _listed(folder)
            answered = answered or listed is not None
            found += [file for file in listed or [] if _package_of(file.name) == plain]
        for index in indexes:
            local = index.startswith("file:") or "://" not in index
            if self._offline and not local:
                continue
            page = _page(f"{index.rstrip('/')}/{plain}/")
            if page is not None:
                answered = True
                found += page
        return found if answered else None

    def versions(self, name: str, python: str) -> Optional[List[str]]:
        """Those that this Python (`3.11`) can use, oldest first; None if nobody can tell."""
        files = self.files(name)
        if files is None:
            return None
        packaging = _packaging()
        if packaging is None:
            return sorted({_version_of(file.name) for file in files})
        tags = _tags(packaging, python)
        kept = {}
        for file in files:
            version = _version_of(file.name)
            if not version or file.yanked or not _fits(packaging, file, python, tags):
                continue
            try:
                kept[packaging["version"].Version(version)] = version
            except Exception:
                continue
        return [kept[key] for key in sorted(kept)]


def _packaging() -> Optional[Dict[str, Any]]:
    """pip brings it; without pip nothing can be installed anyway."""
    import importlib

    for base in ("packaging", "pip._vendor.packaging"):
        try:
            parts = ("version", "specifiers", "tags", "requirements", "utils")
            return {part: importlib.import_module(f"{base}.{part}") for part in parts}
        except ImportError:
            continue
    return None


def matching(requirement: str, versions: List[str]) -> Optional[List[str]]:
    """Those of the versions that a requirement allows; None if it cannot be read."""
    packaging = _packaging()
    if packaging is None:
        return None
    try:
        limits = packaging["requirements"].Requirement(requirement).specifier
        return [version for version in versions if limits.contains(version, prereleases=True)]
    except Exception:
        return None


def applies(requirement: str, python: str) -> bool:
    """Whether its marker, if it has one, is true on that Python."""
    packaging = _packaging()
    try:
        marker = packaging["requirements"].Requirement(requirement).marker if packaging else None
        return marker is None or bool(marker.evaluate({"python_version": python, "extra": ""}))
    except Exception:
        return True


def nearest(requirement: str, versions: List[str]) -> str:
    """Of the versions there are the one next to what is asked for: that above, else the newest."""
    packaging = _packaging()
    wanted = re.search(r"\d[\w.]*", requirement.split(";")[0].partition("=")[2] or "")
    stable = [v for v in versions if not re.search(r"(a|b|rc|dev)\d*", v.split("+")[0])] or versions
    if packaging is None or wanted is None or not stable:
        return stable[-1] if stable else ""
    try:
        least = packaging["version"].Version(wanted.group(0).rstrip(".*"))
        above = [v for v in stable if packaging["version"].Version(v) >= least]
    except Exception:
        above = []
    return above[0] if above else stable[-1]


def _tags(packaging: Dict[str, Any], python: str) -> Any:
    version = tuple(int(part) for part in python.split(".")[:2])
    tags = packaging["tags"]
    interpreter = f"cp{version[0]}{version[1]}"
    return set(tags.cpython_tags(version)) | set(tags.compatible_tags(version, interpreter))


def _fits(packaging: Dict[str, Any], file: File, python: str, tags: Any) -> bool:
    if file.needs_python:
        try:
            if not packaging["specifiers"].SpecifierSet(file.needs_python).contains(f"{python}.99"):
                return False
        except Exception:
            pass
    if not file.name.endswith(".whl"):
        return True
    try:
        return bool(packaging["utils"].parse_wheel_filename(file.name)[3] & tags)
    except Exception:
        return False


def _package_of(name: str) -> str:
    found = re.match(r"(.+?)-\d", name)
    return re.sub(r"[-_.]+", "-", found.group(1)).lower() if found else ""


def _version_of(name: str) -> str:
    if name.endswith(".whl"):
        return name.split("-")[1]
    found = re.match(r".+?-(\d[\w.+!]*?)\.(?:tar\.\w+|zip|tgz)$", name)
    return found.group(1) if found else ""


def _is_package(name: str) -> bool:
    return name.endswith((".whl", ".tar.gz", ".zip", ".tar.bz2", ".tgz"))


def _listed(folder: str) -> Optional[List[File]]:
    if "://" in folder and not folder.startswith("file:"):
        return _page(folder)
    path = urllib.parse.unquote(re.sub(r"^file://", "", folder))
    try:
        return [File(name, "", "", False) for name in os.listdir(path) if _is_package(name)]
    except OSError:
        return None


def _page(url: str) -> Optional[List[File]]:
    """The files that a page of the simple index names; none if it has no such page."""
    import http.client
    import urllib.error

    if url.startswith("file:") or "://" not in url:
        path = urllib.parse.unquote(re.sub(r"^file://", "", url))
        try:
            with open(os.path.join(path, "index.html"), encoding="utf-8") as file:
                return _links(file.read(), url)
        except OSError:
            return [] if os.path.isdir(os.path.dirname(path.rstrip("/"))) else None
    request = urllib.request.Request(url, headers={"Accept": "text/html", "User-Agent": "roost"})
    try:
        with urllib.request.urlopen(request, timeout=_PATIENCE_SECONDS) as answer:
            return _links(answer.read(_LARGEST_PAGE).decode("utf-8", "replace"), url)
    except urllib.error.HTTPError as error:
        return [] if error.code in (404, 410) else None
    except (OSError, ValueError, http.client.HTTPException):
        return None


class _Links(html.parser.HTMLParser):
    def __init__(self, url: str) -> None:
        super().__init__()
        self.files: List[File] = []
        self._url = url

    def handle_starttag(self, tag: str, attrs: List[Tuple[str, Optional[str]]]) -> None:
        found = dict(attrs)
        if tag != "a" or not found.get("href"):
            return
        url = urllib.parse.urljoin(self._url, str(found["href"]))
        name = urllib.parse.unquote(urllib.parse.urlsplit(url).path.rpartition("/")[2])
        if _is_package(name):
            needs = found.get("data-requires-python") or ""
            self.files.append(File(name, url, needs, "data-yanked" in found))


def _links(text: str, url: str) -> List[File]:
    parser = _Links(url)
    parser.feed(text)
    return parser.files


@functools.lru_cache(maxsize=None)
def _default_index(python: str) -> str:
    """pip's own, of which only pip knows the address."""
    code = "from pip._internal.models.index import PyPI; print(PyPI.simple_url)"
    try:
        done = subprocess.run(
            [python, "-c", code],
            capture_output=True,
            text=True,
            stdin=subprocess.DEVNULL,
            cwd="/",
            timeout=30,
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout.strip()
