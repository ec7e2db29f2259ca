// How high a line is, and whether there is room for a table.
import { useEffect, useLayoutEffect, useState } from "react";

const NARROW = "(max-width: 640px)";
/** In rem. */
export const WIDE_LINE = 2.4;
const COMPACT_LINE = 4;

function measure(beside: boolean): { compact: boolean; lineHeight: number } {
  const compact = beside || matchMedia(NARROW).matches;
  const rem = parseFloat(getComputedStyle(document.documentElement).fontSize);
  return { compact, lineHeight: Math.round(rem * (compact ? COMPACT_LINE : WIDE_LINE)) };
}

/** `beside`: the table shares its width with something else. */
export function useLines(beside = false): { compact: boolean; lineHeight: number } {
  const [lines, setLines] = useState(() => measure(beside));
  useLayoutEffect(() => {
    const again = () =>
      setLines((old) => {
        const next = measure(beside);
        return old.compact === next.compact && old.lineHeight === next.lineHeight ? old : next;
      });
    again();
    addEventListener("resize", again);
    return () => removeEventListener("resize", again);
  }, [beside]);
  return lines;
}

/** A number that changes every ten seconds, for "3 min ago". */
export function useMinute(): number {
  const [now, setNow] = useState(0);
  useEffect(() => {
    const timer = setInterval(() => setNow((n) => n + 1), 10_000);
    return () => clearInterval(timer);
  }, []);
  return now;
}
