"""What a measure gives back, and the one table made of it."""

import dataclasses
import datetime
import os
import platform
from typing import Dict, List, Optional

HEADINGS = ("measure", "Roost", "peer, same run", "ratio", "mark", "verdict")


@dataclasses.dataclass
class Row:
    """One line of the table. `met` is None where there is no mark, or no peer to hold it against."""

    measure: str
    roost: str
    peer: str
    ratio: Optional[float]
    mark: str
    met: Optional[bool]
    values: Dict[str, float] = dataclasses.field(default_factory=dict)  # plain numbers, for --json
    verdict_text: str = ""  # instead of "met" or "missed"

    @property
    def verdict(self) -> str:
        if self.verdict_text:
            return self.verdict_text
        return "-" if self.met is None else "met" if self.met else "missed"

    def cells(self) -> List[str]:
        ratio = "-" if self.ratio is None else f"{self.ratio:.2f}" if self.ratio >= 0.1 else f"{self.ratio:.3f}"
        return [self.measure, self.roost, self.peer, ratio, self.mark, self.verdict]


def failed_row(measure: str, error: BaseException) -> Row:
    reason = (str(error) or repr(error)).splitlines()[0][:90]
    return Row(measure, "-", "-", None, "-", None, verdict_text=f"failed to run: {reason}")


def plain_table(rows: List[Row]) -> str:
    lines = [list(HEADINGS)] + [row.cells() for row in rows]
    widths = [max(len(line[column]) for line in lines) for column in range(len(HEADINGS))]
    lines.insert(1, ["-" * width for width in widths])
    return "\n".join("  ".join(cell.ljust(width) for cell, width in zip(line, widths)).rstrip() for line in lines)


def markdown_table(rows: List[Row]) -> str:
    lines = [list(HEADINGS), ["---"] * len(HEADINGS)]
    for row in rows:
        cells = [cell.replace("|", "\\|") for cell in row.cells()]
        cells[-1] = f"**{cells[-1]}**" if row.met is False or row.verdict_text.startswith("failed") else cells[-1]
        lines.append(cells)
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def circumstances(roost_version: str, quick: bool, load_before: float) -> str:
    """When, where and with what the table was made; a load well above 0 makes every figure worse."""
    now = datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%d %H:%M UTC")
    sizes = "quick sizes, not for comparison with the marks" if quick else "full sizes"
    return (f"{now}; {roost_version}; {sizes}; {os.cpu_count()} cores ({_processor()}), Linux {platform.release()}, "
            f"Python {platform.python_version()}; load {load_before:.1f} at the start")


def _processor() -> str:
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        for line in file:
            if line.startswith("model name"):
                return line.split(":", 1)[1].strip()
    return platform.machine()


def milliseconds(seconds: float) -> str:
    return f"{seconds * 1000:.1f} ms" if seconds < 1 else f"{seconds:.2f} s"


def per_second(rate: float) -> str:
    return f"{rate:,.0f}/s"
