"""Why a run failed, in the shape that tools know."""

from __future__ import annotations

from typing import Any, Dict

_MESSAGE_LIMIT = 3000
_MORE = ("node", "rank", "exception", "traceback")


def run_error(facts: Dict[str, Any]) -> Dict[str, Any]:
    """Code and message as Azure has them, the message with the traceback or else the last lines of
    the log; and by name what Roost knows besides: of a distributed run the rank that failed first
    on its own, and the node it ran on."""
    error = facts.get("error") or {"code": facts["status"], "message": "the run was canceled"}
    return {
        "error": {
            "code": error["code"],
            "message": _message(error),
            "exit_code": facts.get("exit_code"),
            "signal": facts.get("signal"),
            **{name: error[name] for name in _MORE if error.get(name) is not None},
        },
        "time": facts.get("ended_at"),
    }


def shown_error(
    details: Dict[str, Any], facts: Dict[str, Any], log_was_shown: bool
) -> Dict[str, Any]:
    """The same for people, who read a traceback once: in the log if that was shown, else in the
    message, and not in a list of its lines besides."""
    shown = {name: value for name, value in details["error"].items() if name != "traceback"}
    if log_was_shown and "traceback" in details["error"]:
        shown["message"] = str(facts["error"]["message"])[:_MESSAGE_LIMIT]
    return {**details, "error": shown}


def _message(error: Dict[str, Any]) -> str:
    message = str(error["message"])[:_MESSAGE_LIMIT]
    lines = error.get("traceback") or error.get("last_lines") or []
    if not lines:
        return message
    if not error.get("traceback"):
        message += "\nThe last lines of its log:"
    room = max(_MESSAGE_LIMIT - len(message) - 1, 0)
    return message + "\n" + "\n".join(lines)[-room:] if room else message
