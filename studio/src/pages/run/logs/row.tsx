// One row of a log.
import { memo, useMemo } from "react";
import { bytes } from "../../../lib/format";
import { parseLine, type Pen, type Span } from "../../../lib/ansi";
import { Button } from "../../../ui/base";
import type { Row } from "./log_file";
import "../../../ui/ansi.css";

/** Of a longer row only the start is shown at first. */
export const MOST_SHOWN = 4000;
export const MORE = 64 * 1024;

/** The text to show, and how many bytes of the row that leaves out. A progress bar wrote over itself: only its last states count. */
export function shownText({ window, index }: Row, most: number): { text: string; left: number } {
  const length = window.byteLength(index);
  if (length <= most) return { text: window.text(index), left: 0 };
  const head = window.text(index, most);
  if (head.includes("\r")) {
    const states = window.text(index).split("\r");
    const last = states.slice(-8).join("\r");
    if (last.length <= most) return { text: last, left: 0 };
  }
  return { text: head, left: length - most };
}

interface RowProps {
  offset: number;
  text: string;
  left: number;
  pen: Pen;
  query: string;
  marked: boolean;
  continued: boolean;
  onMore: (offset: number) => void;
  onLink: (offset: number) => void;
}

export const RowView = memo(function RowView({ offset, text, left, pen, query, marked, continued, onMore, onLink }: RowProps) {
  const spans = useMemo(() => mark(parseLine(text, pen).spans, query), [text, pen, query]);
  return (
    <div className={marked ? "log-row marked" : "log-row"} data-offset={offset} aria-current={marked ? "true" : undefined}>
      <button type="button" tabIndex={-1} className="log-link" title="Put this line into the address" aria-label={`Link to the line at byte ${offset}`} onClick={() => onLink(offset)} />
      <span className="log-text">
        {continued && <span className="log-note">… </span>}
        {spans.map((span, i) =>
          span.found ? (
            <mark key={i} className={span.className} style={span.style}>
              {span.text}
            </mark>
          ) : span.className || span.style ? (
            <span key={i} className={span.className} style={span.style}>
              {span.text}
            </span>
          ) : (
            span.text
          ),
        )}
        {left > 0 && (
          <Button small kind="quiet" className="log-more" tabIndex={-1} onClick={() => onMore(offset)}>
            Show more of this line ({bytes(left)} left)
          </Button>
        )}
      </span>
    </div>
  );
});

/** Spans cut where a match begins or ends, which may be in the middle of a colour. */
export function mark(spans: Span[], query: string): (Span & { found?: boolean })[] {
  if (query === "") return spans;
  const whole = spans.map((span) => span.text).join("");
  const ranges = [...whole.matchAll(new RegExp(query.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"), "giu"))].map((m) => [m.index, m.index + m[0].length] as const);
  if (ranges.length === 0) return spans;
  const result: (Span & { found?: boolean })[] = [];
  let at = 0;
  let r = 0;
  for (const span of spans) {
    const end = at + span.text.length;
    let from = at;
    while (from < end) {
      while (r < ranges.length && ranges[r]![1] <= from) r += 1;
      const range = ranges[r];
      const inside = range !== undefined && range[0] <= from;
      const to = Math.min(end, range === undefined ? end : inside ? range[1] : range[0]);
      result.push({ ...span, text: span.text.slice(from - at, to - at), ...(inside ? { found: true } : {}) });
      from = to;
    }
    at = end;
  }
  return result;
}
