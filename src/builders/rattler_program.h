#pragma once

namespace roost {

// Solves and installs by py-rattler. Its one argument is a file: {"channels", "packages": [[name,
// specification]], "folder"}. Lines that begin with "roost:" are for the builder: "missing" is a package
// no version of which fulfils the specification, as JSON; "problem" is the line that matters.
inline constexpr const char* kRattlerProgram = R"py(
import asyncio, json, os, sys
import rattler
from rattler.exceptions import SolverError

def one_line(error):
    lines = [line.strip(" \t\u2514\u251c\u2500\u2502") for line in str(error).splitlines()]
    return "; ".join(line for line in lines if line)

async def missing(gateway, channels, packages):
    """Of each package that no version fulfils, the versions there are, oldest first."""
    here = (getattr(rattler, "Subdir", None) or rattler.Platform).current()
    for name, text in packages:
        found = await gateway.query(channels, [here, "noarch"], [name], recursive=False)
        records = [record for part in found for record in part]
        if not any(rattler.MatchSpec(text, strict=False).matches(record) for record in records):
            versions = [str(version) for version in sorted({record.version for record in records})]
            print("roost:missing " + json.dumps({"name": name, "specification": text, "versions": versions}))

async def main(order):
    channels = [rattler.Channel(one) for one in order["channels"]]
    specifications = [rattler.MatchSpec(text, strict=False) for _, text in order["packages"]]
    gateway = rattler.Gateway()
    try:
        records = await rattler.solve(channels, specifications, gateway=gateway,
                                      virtual_packages=rattler.VirtualPackage.detect())
    except SolverError as error:
        print("roost:problem " + one_line(error))
        await missing(gateway, channels, order["packages"])
        return 1
    print("Installing", len(records), "of conda's packages", flush=True)
    await rattler.install(records, order["folder"], show_progress=False)
    return 0

try:
    with open(sys.argv[1], encoding="utf-8") as file:
        order = json.load(file)
    code = asyncio.run(main(order))
except Exception as error:
    print("roost:problem " + one_line(error))
    code = 1
sys.stdout.flush()
os._exit(code)  # its threads may still run, and an orderly end of Python crashes under them
)py";

}  // namespace roost
