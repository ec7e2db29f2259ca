#!/usr/bin/env python3
"""Fails if a folder of src/ includes one that it must not know (DESIGN: lifecycle folders never
include one another; third-party headers live in one folder only)."""
import pathlib
import re
import sys

SRC = pathlib.Path(__file__).resolve().parent.parent / "src"

# folder -> the folders it may include, besides itself
ALLOWED = {
    "base": [],
    "wire": ["base"],
    "confine": ["base"],
    "db": ["base"],
    "net": ["base"],
    "blobs": ["base"],
    "domain": ["base"],
    "tensorboard": ["base", "wire"],
    "sweeps": ["base", "db", "domain", "records"],
    "infer": ["base", "net", "wire"],
    "onnx": ["base", "net", "infer"],
    "score": ["base", "net", "infer"],
    "endpoints": ["base", "db", "domain", "records"],
    "serve": ["base", "net", "client", "domain", "infer", "onnx", "score"],
    "front": ["base", "net", "domain"],
    "snapshot": ["base", "domain"],
    "client": ["base", "net", "snapshot", "domain"],
    "mlflow": ["base", "domain"],
    "records": ["base", "db", "domain", "mlflow"],
    "access": ["base", "db", "records"],
    "keeping": ["base", "db", "domain", "records"],
    "alerts": ["base", "db", "net", "domain", "records"],
    "registry": ["base", "db", "domain", "records"],
    "submit": ["base", "db", "blobs", "domain", "records", "registry"],
    "builders": ["base", "confine", "domain"],
    "prepare": ["base", "db", "domain", "records", "registry", "builders"],
    "schedule": ["base", "db", "domain", "records"],
    "compute": ["base", "confine", "db", "domain", "records", "access"],
    "execute": ["base", "db", "domain", "records", "access"],
    "observe": ["base", "db", "domain", "records"],
    "finalize": ["base", "db", "blobs", "domain", "records"],
    "mpi": [],
    "runner": ["base", "confine", "net", "client", "snapshot", "domain", "tensorboard"],
    "server": ["base", "confine", "db", "net", "blobs", "domain", "records", "access", "submit", "prepare",
               "schedule", "compute", "execute", "observe", "finalize", "registry", "builders", "sweeps", "endpoints", "keeping", "alerts", "mlflow"],
    "cli": ["base", "confine", "net", "client", "snapshot", "domain", "server", "runner", "builders", "serve", "front"],
}
# Within cli/: a folder or file -> what it must not include.
PARTS = {"cli/show/": ("cli/work/", "cli/verbs/", "cli/console.h"), "cli/work/": ("cli/verbs/",)}
# Json::value() throws at a wrong type. What came from outside is read by JsonFields, or by text_at() and its like.
NO_VALUE = {"access", "blobs", "builders", "compute", "domain", "execute", "finalize", "observe", "prepare", "records",
            "registry", "runner", "schedule", "server", "submit", "sweeps", "endpoints", "keeping", "alerts", "front", "infer", "onnx", "score", "serve", "tensorboard"}
# SQL is written in records/ (and in db/, which runs it). What is left elsewhere; this list may only get shorter.
SQL = re.compile(r"\b(tx_?|transaction)\.(query|run)\(|\"\s*(SELECT|UPDATE|INSERT|DELETE FROM) ")
SQL_LEFT = {
    "access/access.cc",
    "observe/chart_query.cc", "observe/ingest.cc", "observe/metric_query.cc", "observe/system_samples.cc",
    "registry/datastores.cc", "registry/models.cc",
}
# Where Slurm may be asked for by name: its engine, its records and options, what stands in files and on the command line.
SLURM = re.compile(r"\bis_slurm\(|\ballocation\.empty\(\)")
SLURM_LEFT = {"access/access.h", "server/routes/routes.cc", "cli/verbs/runner_command.cc"}  # tokens and joining
# header prefix -> the only folder that may include it
HOMES = {"boost/": "net", "sqlite3.h": "db", "CLI/": "cli", "yaml-cpp/": "base", "zlib.h": "base", "Eigen/": "sweeps"}


def main() -> int:
    problems = []
    for file in sorted(SRC.rglob("*")):
        if file.suffix not in (".h", ".cc"):
            continue
        folder = file.relative_to(SRC).parts[0]
        name = file.relative_to(SRC).as_posix()
        is_test = file.name.endswith("_test.cc") or file.name.startswith(("test_", "toy_"))
        has_sql = False
        for number, line in enumerate(file.read_text().splitlines(), 1):
            own = re.match(r'#include "([a-z_]+)/', line)
            if own and own[1] != folder and own[1] not in ALLOWED.get(folder, []):
                problems.append(f"{file.relative_to(SRC)}:{number}: {folder}/ must not include {own[1]}/")
            for part, others in PARTS.items():
                inside = file.relative_to(SRC).as_posix().startswith(part) and not file.name.endswith("_test.cc")
                if inside and line.startswith(tuple(f'#include "{other}' for other in others)):
                    problems.append(f"{file.relative_to(SRC)}:{number}: {part} must not include that")
            if folder in NO_VALUE and not file.name.endswith("_test.cc") and re.search(r'(\.|->)value\("', line):
                problems.append(f"{file.relative_to(SRC)}:{number}: Json::value() throws; use text_at() and its like")
            if folder != "base" and not file.name.endswith("_test.cc") and "nullptr, false)" in line and "parse(" in line:
                problems.append(f"{file.relative_to(SRC)}:{number}: use stored_json(), which is never discarded")
            if name.startswith("server/routes/") and line.startswith('#include "db/'):
                problems.append(f"{name}:{number}: routes call the rooms and records/, not db/")
            if folder not in ("db", "records") and not is_test and SQL.search(line):
                has_sql = True
                if name not in SQL_LEFT:
                    problems.append(f"{name}:{number}: SQL is written in records/")
            if not name.startswith("compute/slurm/") and not is_test and SLURM.search(line) and name not in SLURM_LEFT:
                problems.append(f"{name}:{number}: only compute/slurm/ may ask whether it is Slurm's; ask its engine")
            other = re.match(r"#include <([^>]+)>", line)
            for prefix, home in HOMES.items():
                if other and other[1].startswith(prefix) and folder != home:
                    problems.append(f"{file.relative_to(SRC)}:{number}: only {home}/ may include <{other[1]}>")
        if name in SQL_LEFT and not has_sql:
            problems.append(f"{name}: has no SQL any more; take it out of SQL_LEFT in tools/check_layers.py")
    for folder in sorted(p.name for p in SRC.iterdir() if p.is_dir()):
        if folder not in ALLOWED:
            problems.append(f"src/{folder} is not in the table of tools/check_layers.py")
    print("\n".join(problems) or f"layers: {len(ALLOWED)} folders keep to their order")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
