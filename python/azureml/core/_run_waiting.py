"""Waiting for a run, with what it prints as it prints it."""

from __future__ import annotations

import json
import sys
from typing import Any, Dict, Iterable, List, Optional, TextIO, Union

from roost.streaming import DRIVER_LOG, TERMINAL, follow

from .._errors import calling
from ..exceptions import ActivityFailedException, ServiceException
from ._run_details import run_details
from ._run_error import run_error, shown_error
from ._run_record import RunRecord


class RunWaiting(RunRecord):
    """Waits, and tells how it went."""

    _main_log = DRIVER_LOG

    def wait_for_completion(
        self,
        show_output: bool = False,
        wait_post_processing: bool = False,
        raise_on_error: bool = True,
    ) -> Dict[str, Any]:
        """Waits for the end and returns get_details(). With `show_output` the log is printed as it
        is written. Ctrl-C ends the waiting, not the run. A run that failed raises
        ActivityFailedException, unless `raise_on_error` is False."""
        self._before_waiting()
        out = sys.stdout if show_output else None
        if out is not None:
            print(f"RunId: {self.id}\nWeb View: {self.get_portal_url()}", file=out, flush=True)
        try:
            self._follow(out)
        except KeyboardInterrupt:
            print(
                f"\nNo longer waiting. Run {self.id} goes on; see it again with "
                f"run.wait_for_completion(show_output=True) or `roost logs -f {self.id}`, "
                f"end it with run.cancel() or `roost cancel {self.id}`.",
                file=out or sys.stderr,
                flush=True,
            )
            raise
        if out is not None:
            self._print_summary(out)
        if raise_on_error and self._known["status"] in ("Failed", "Canceled"):
            raise self._failure(log_was_shown=out is not None)
        return self.get_details()

    def get_details(self) -> Dict[str, Any]:
        """What is known about the run, by the names Azure uses."""
        facts = self._refresh()
        logs = self._call("get", self._path("logs"), _raises=ServiceException)["items"]
        details = run_details(self._experiment.workspace, facts, [log["name"] for log in logs])
        if facts["status"] == "Canceled":
            details["warnings"].append({"source": "Roost", "message": self._why_canceled()})
        return details

    def get_details_with_logs(self) -> Dict[str, Any]:
        """get_details(), with the text of each log in place of its address."""
        details = self.get_details()
        details["logFiles"] = {name: self._log_text(name) for name in details["logFiles"]}
        return details

    def get_ranks(self) -> List[Dict[str, Any]]:
        """Roost's own: each process of a distributed run, with its rank, node, log, state, how it
        ended, and its role in a failure (fine, root_cause, victim or stopped)."""
        found = self._call("get", self._path("ranks"), _raises=ServiceException)
        items: List[Dict[str, Any]] = found["items"]
        return items

    def stream_ranks(self, ranks: Union[str, Iterable[int]] = "all") -> None:
        """Roost's own: prints the output of several processes until the run ends, in the order of
        time, each line after its rank, as `roost logs -f --all` does."""
        wanted = ranks if isinstance(ranks, str) else ",".join(str(rank) for rank in ranks)
        with calling(ServiceException):
            for line in follow(self._client, self.id, ranks=wanted):
                if line["type"] != "log":
                    continue
                mark = f"[{line['rank']}] " if "rank" in line else ""
                for text in line["text"].splitlines():
                    _write(sys.stdout, f"{mark}{text}\n")
        self._refresh()

    def _before_waiting(self) -> None:
        """For what must be sent before the end of the run can be awaited."""

    def _follow(self, out: Optional[TextIO]) -> None:
        begun: List[str] = []
        attempt = None
        with calling(ServiceException):
            for line in follow(self._client, self.id, self._main_log):
                if line["type"] == "end":
                    self._take(line["run"])
                elif line["type"] == "status" and self._facts is not None:
                    self._facts["status"] = line["status"]
                elif line["type"] == "log" and out is not None:
                    if not begun or line.get("attempt") != attempt:
                        begun.append(line["name"])
                        attempt = line.get("attempt")
                        print(_heading(f"Streaming {line['name']}"), file=out)
                    _write(out, line["text"])
        self._refresh()

    def _print_summary(self, out: TextIO) -> None:
        print("\nExecution Summary\n=================", file=out)
        print(f"RunId: {self.id}\nWeb View: {self.get_portal_url()}", file=out)
        for notice in self._known.get("notices") or []:
            print(f"Notice: {notice}", file=out)
        if self._known.get("error"):
            error = shown_error(run_error(self._known), self._known, log_was_shown=True)
            print(f"\nError:\n{json.dumps(error, indent=4)}", file=out)
        print(file=out, flush=True)

    def _failure(self, log_was_shown: bool = False) -> ActivityFailedException:
        canceled = self._known["status"] == "Canceled"
        facts = self._known
        if canceled and not facts.get("error"):
            facts = {**facts, "error": {"code": "Canceled", "message": self._why_canceled()}}
        details = run_error(facts)
        shown = shown_error(details, facts, log_was_shown)
        what = "Activity Canceled" if canceled else "Activity Failed"
        rank = f" --rank {details['error']['rank']}" if "rank" in details["error"] else ""
        return ActivityFailedException(
            f"{what}:\n{json.dumps(shown, indent=4)}\n"
            f"The whole log: run.get_details_with_logs(), or `roost logs {self.id}{rank}`.",
            error_details=details,
        )

    def _why_canceled(self) -> str:
        """Who ended it, or which policy of a sweep and by what numbers."""
        events = self._call("get", self._path("events"), _raises=ServiceException)["items"]
        reasons = [
            str(event["reason"])
            for event in events
            if event["reason"] and event["to"] in ("CancelRequested", "Canceled")
        ]
        return reasons[0] if reasons else "the run was canceled"

    def _log_text(self, name: str) -> str:
        from roost.client import quote

        path = self._path("logs", quote(name, "/"))
        body = self._call("request", "GET", path, _raises=ServiceException)
        return bytes(body).decode("utf-8", "replace")

    @property
    def _has_ended(self) -> bool:
        return self.status in TERMINAL


def _heading(text: str) -> str:
    return f"\n{text}\n{'=' * len(text)}\n"


def _write(out: TextIO, text: str) -> None:
    try:
        out.write(text)
    except UnicodeEncodeError:
        encoding = getattr(out, "encoding", None) or "ascii"
        out.write(text.encode(encoding, "replace").decode(encoding))
    out.flush()


__all__ = ["DRIVER_LOG", "RunWaiting"]
