"""Hands in folders that roost.init(mode="offline") wrote: `roost sync FOLDER...`."""

from __future__ import annotations

import json
import os
import platform
import sys
from typing import Any, BinaryIO, Dict, List, Tuple, cast

from .client import Client, quote
from .errors import RoostError
from .offline_folder import files_folder, read_part, spool_folder, write_synced
from .run_files import files_below

_PIECE = 4 << 20
_NO_FINISH = "its process ended without roost.finish()"


def sync_folder(client: Client, folder: str) -> Tuple[str, str]:
    """Makes the run of a folder on the server, with all that was logged, and returns its id and
    address. What the server has is not sent again, so it can be repeated after any failure."""
    facts = read_part(folder, "run.json")
    if facts is None:
        raise RoostError(
            "not_found",
            f'{folder} is not a folder of roost.init(mode="offline"): it has no run.json',
        )
    done = read_part(folder, "synced.json")
    if done is not None:
        return str(done["run"]), str(done["url"])
    end = read_part(folder, "end.json")
    if end is None and _goes_on(facts):
        raise RoostError(
            "failed_precondition",
            f"process {facts['pid']} still writes to {folder}; hand it in when it has ended",
        )
    run = _make_run(client, facts)
    path = f"/api/v1/runs/{quote(run)}"
    for name in files_below(files_folder(folder)):
        with open(os.path.join(files_folder(folder), name), "rb") as file:
            client.put_artifact(run, name, cast(BinaryIO, file))
    for name in sorted(os.listdir(spool_folder(folder))):
        if name.endswith(".spool"):
            _send_records(client, path, os.path.join(spool_folder(folder), name))
    _end(
        client,
        path,
        end or {"status": "Failed", "body": {"message": _NO_FINISH, "code": "crashed"}},
    )
    url = f"{client.url}/runs/{quote(run)}"
    write_synced(folder, run, url)
    return run, url


def _goes_on(facts: Dict[str, Any]) -> bool:
    if facts.get("host") != platform.node():
        return False
    try:
        os.kill(int(facts["pid"]), 0)
    except ProcessLookupError:
        return False
    except OSError:
        pass  # it is somebody else's
    return True


def _make_run(client: Client, facts: Dict[str, Any]) -> str:
    """The same run, if it was made before and the folder does not know yet."""
    path = f"/api/v1/workspaces/{quote(facts['workspace'])}/runs"
    body = json.dumps(facts["spec"]).encode()
    answer = client.request("POST", path, body, "application/json", str(facts["key"]))
    return str(json.loads(answer)["id"])


def _send_records(client: Client, path: str, spool: str) -> None:
    stream = "offline-" + os.path.basename(spool)
    with open(spool, "rb") as file:
        content = file.read().partition(b"\0")[0]  # what was allocated ahead was not written yet
    content = content[: content.rfind(b"\n") + 1]
    offset = 0
    while offset < len(content):
        piece = content[offset : offset + _PIECE]
        cut = piece.rfind(b"\n") + 1
        if not cut:  # a line as long as that
            cut = content.index(b"\n", offset) + 1 - offset
            piece = content[offset : offset + cut]
        client.send(
            "POST", f"{path}/records", piece[:cut], "text/plain", stream=stream, offset=offset
        )
        offset += cut


def _end(client: Client, path: str, end: Dict[str, Any]) -> None:
    how = {"Completed": "complete", "Canceled": "cancel"}.get(end["status"], "fail")
    try:
        client.post(f"{path}/{how}", end["body"] if how == "fail" else None)
    except RoostError as error:
        if error.code != "failed_precondition":  # it was ended before
            raise


def main(folders: List[str]) -> int:
    """What `roost sync` does. The code of its end: 0, or 1 if one of them was not handed in."""
    failed = False
    try:
        client = Client.connect()
    except RoostError as error:
        print(f"error: {error.message}", file=sys.stderr)
        return 1
    for folder in folders:
        try:
            run, url = sync_folder(client, folder)
            print(f"{run}  {url}")
        except (RoostError, OSError, ValueError) as error:
            failed = True
            print(f"error: {folder}: {getattr(error, 'message', error)}", file=sys.stderr)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
