#!/usr/bin/env python3
"""Fails if the documents and the tree disagree: folders, links, paths, states, names, settings."""
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
SRC = ROOT / "src"
# A path below the root of the project; what stands before it must not make it part of a longer one.
PATH = re.compile(r"(?<![\w./~<>$-])((?:src|docs|tests|tools|bench|api|fuzz|cmake|python|examples)/[\w./*-]*)")
LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")


def folders() -> set:
    """The top level as git has it (other things may lie about there), and all of src/."""
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True)
    top = {line.split("/")[0] for line in listed.stdout.splitlines() if "/" in line}
    return top | {"src"} | {path.relative_to(ROOT).as_posix() for path in SRC.rglob("*") if path.is_dir()}


def check_layout(text: str) -> list:
    """Every folder has its row, every row its folder."""
    rows = set(re.findall(r"^\| `([\w./-]+?)/?` \|", text, re.M))
    missing = [f"docs/layout.md: {folder} is not listed" for folder in sorted(folders() - rows)]
    return missing + [f"docs/layout.md: there is no folder {row}" for row in sorted(rows)
                      if not (ROOT / row).is_dir()]


def check_paths(page: pathlib.Path, text: str) -> list:
    """Paths from the root of the project, and links from where the page is."""
    name = page.relative_to(ROOT)
    problems = []
    for path in sorted(set(PATH.findall(LINK.sub("", text)))):
        path = path.rstrip(".")
        if not (any(ROOT.glob(path)) if "*" in path else (ROOT / path).exists()):
            problems.append(f"{name}: there is no {path}")
    for link in sorted(set(LINK.findall(text))):
        target = link.split("#")[0]
        if target and "://" not in target and not (page.parent / target).exists():
            problems.append(f"{name}: the link {link} leads nowhere")
    return problems


def check_states(text: str) -> list:
    """The table of states, row by row as the program has it."""
    code = (SRC / "domain/run_state.cc").read_text()
    rows = re.findall(r'\{k\w+, "(\w+)", \{([^}]*)\}\}', code)
    problems = [] if len(rows) >= 12 else ["the table in src/domain/run_state.cc was not understood"]
    for state, following in rows:
        after = ", ".join(f"`{word}`" for word in re.findall(r"k(\w+)", following)) or "-"
        if f"| `{state}` | {after} |" not in text:
            problems.append(f"docs/life-of-a-run.md: {state} is followed by {after}")
    return problems


def check_names(text: str) -> list:
    """Functions and types in backquotes exist under that name."""
    files = [file for file in SRC.rglob("*") if file.suffix in (".h", ".cc")]
    words = set(re.findall(r"\w+", " ".join(file.read_text() for file in files)))
    names = set(re.findall(r"`([A-Za-z]\w*(?:::\w+)*)`", text))
    return [f"docs/life-of-a-run.md: nothing in src/ is called {name}" for name in sorted(names)
            if ("_" in name or "::" in name) and not set(name.split("::")) <= words]


def words_in(path: pathlib.Path) -> set:
    """Of a folder, or of a file and its other half."""
    files = path.rglob("*") if path.is_dir() else [path.with_suffix(".h"), path.with_suffix(".cc"), path]
    return {word for file in files if file.suffix in (".h", ".cc") and file.exists() and not file.name.endswith("_test.cc")
            for word in re.findall(r"\w+", file.read_text())}


def check_places(text: str) -> list:
    """What the story of a run names is where it says: `name` (`src/file`), `name` in `src/folder`, the drawing, the steps."""
    page = "docs/life-of-a-run.md"
    said = re.findall(r"`(\w+(?:::\w+)*)`(?:\s*\(|\s+in\s+|,\s+)`(src/[\w./-]+)`", text)
    drawing, steps = text.split("```")[1], text.split("## Step by step")[1].split("\n## ")[0]
    drawn = re.findall(r"^ .{25,40} (\w+)/ +([A-Za-z]\w+(?:::\w+)*)", drawing, re.M)
    said += [(name, f"src/{folder}") for folder, name in drawn]
    problems = [] if len(drawn) >= 10 and len(said) >= 40 else [f"{page}: the drawing or the steps were not understood"]
    problems += [f"{page}: {name} is not in {place}" for name, place in said
                 if (ROOT / place).exists() and not set(name.split("::")) <= words_in(ROOT / place)]
    for step in re.split(r"^\d+\. ", steps, flags=re.M)[1:]:
        folder = re.match(r"\*\*([\w/]+)", step)[1]
        names = {name for name in re.findall(r"`(\w+(?:::\w+)*)`", step) if "_" in name or "::" in name}
        if not (SRC / folder).is_dir():
            problems.append(f"{page}: a step is said to be in src/{folder}, which is no folder")
        elif not any(set(name.split("::")) <= words_in(SRC / folder) for name in names):
            problems.append(f"{page}: the step {folder} names no function of src/{folder}")
    return problems


def check_settings(text: str) -> list:
    """Every key of the configuration is explained."""
    code = (SRC / "server/config.cc").read_text()
    keys = set(re.findall(r'fields\.(?:string|integer|boolean)\("(\w+)"', code))
    keys |= set(re.findall(r'read_seconds\(root, fields, "(\w+)"', code))
    keys |= {"slurm." + key for key in re.findall(r'(?:items\.\w+\(|read_seconds\(body, items, )"(\w+)"', code)}
    return [f"docs/operations.md: the key {key} is not explained" for key in sorted(keys)
            if not re.search(rf"`(?:tls\.)?{key}`", text)]


def variables_in_code() -> set:
    """Names of ROOST_... variables, where they stand as texts of their own."""
    name = re.compile(r"""["'](ROOST_[A-Z_]+)[=]?["']""")
    files = [file for file in SRC.rglob("*") if file.suffix in (".h", ".cc") and not file.name.endswith("_test.cc")]
    files += [file for file in (ROOT / "python").rglob("*.py") if "tests" not in file.relative_to(ROOT).parts]
    return {found for file in files for found in name.findall(file.read_text())}


def check_reference(text: str) -> list:
    """Variables, exit codes, forms of output, settings and methods of a run: all that the code has, and nothing else."""
    page = "docs/reference.md"
    said = {name.rstrip("_") for name in re.findall(r"\bROOST_[A-Z_]+", text)}
    there = {name.rstrip("_") for name in variables_in_code()}
    problems = [f"{page}: the variable {name} is not explained" for name in sorted(there - said)]
    problems += [f"{page}: nothing reads the variable {name}" for name in sorted(said - there)]
    codes = re.findall(r'\{ErrorCode::k\w+, "\w+", \d+, (\d+)\}', (SRC / "base/error_code.cc").read_text())
    problems += [] if len(codes) >= 12 else ["the table in src/base/error_code.cc was not understood"]
    problems += [f"{page}: the exit code {code} is not in the table" for code in sorted(set(codes)) if f"\n| {code} |" not in text]
    apart = re.search(r"kOwnErrors = (\d+);", (SRC / "cli/command_line.h").read_text())
    first, last = int(apart[1]) + min(map(int, codes)), int(apart[1]) + max(map(int, codes))
    if f"| {first} to {last} |" not in text:
        problems.append(f"{page}: Roost's own errors are {first} to {last} where a verb ends as a run does")
    verbs = {re.search(r'root\.verb\("(\w+)"', file.read_text())[1] for file in (SRC / "cli/verbs").glob("*.cc")
             if ".ends_as_run()" in file.read_text()}
    row = re.search(r"\| code \| of (`.*`) \|", text)
    if not row or set(re.findall(r"`(\w+)`", row[1])) != verbs:
        problems.append(f"{page}: the verbs that end as a run does are {', '.join(sorted(verbs))}")
    source = (ROOT / "python/roost/run.py").read_text()
    run_class = source.split("class Run:")[1].split("\nclass ")[0]
    methods = {name for name in re.findall(r"^    def ([a-z]\w*)\(", run_class, re.M)} - {"get_context"}
    told = set(re.findall(r"`run\.(\w+)", text))
    problems += [f"{page}: run.{name} is not explained" for name in sorted(methods - told)]
    return problems + [f"{page}: there is no run.{name}" for name in sorted(told - methods - {"id"})]


def main() -> int:
    pages = [ROOT / "README.md", ROOT / "CHANGELOG.md", *sorted((ROOT / "docs").glob("*.md")), *sorted(SRC.rglob("README.md"))]
    texts = {page: page.read_text() for page in pages}
    life = texts[ROOT / "docs/life-of-a-run.md"]
    problems = check_layout(texts[ROOT / "docs/layout.md"]) + check_states(life) + check_names(life)
    problems += check_places(life)
    problems += check_settings(texts[ROOT / "docs/operations.md"])
    problems += check_reference(texts[ROOT / "docs/reference.md"])
    for page, text in texts.items():
        problems += check_paths(page, text)
    print("; ".join(problems) or f"documents: {len(pages)} pages agree with the tree")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
