// The output of all ranks together. The newest lines only: each rank's own log has all of them, and a search.
import { memo, useEffect, useLayoutEffect, useMemo, useRef, useState, useSyncExternalStore } from "react";
import { parseLine } from "../../../lib/ansi";
import { count } from "../../../lib/format";
import { Button, Problem } from "../../../ui/base";
import { MergedFeed, type MergedLine, type RankSize } from "./merged_feed";
import "../../../ui/ansi.css";

const COLORS = 8;
/** A longer line is cut: the rank's own log has it whole. */
const MOST_SHOWN = 2000;
const NEAR_END = 40;

const Line = memo(function Line({ line }: { line: MergedLine }) {
  const text = line.text.length > MOST_SHOWN ? `${line.text.slice(0, MOST_SHOWN)}…` : line.text;
  return (
    <div className="log-merged-line">
      <span className="log-rank" style={{ color: `var(--c${(line.rank % COLORS) + 1})` }}>
        {line.rank}
      </span>
      <span className="log-text">
        {parseLine(text).spans.map((span, i) => (
          <span key={i} className={span.className} style={span.style}>
            {span.text}
          </span>
        ))}
      </span>
    </div>
  );
});

export function MergedLog({ run, logs }: { run: string; logs: readonly RankSize[] }) {
  // Their sizes are those of when it was opened: what comes later is followed.
  const ranks = logs.map((log) => log.rank).join();
  const feed = useMemo(() => new MergedFeed(run, logs), [run, ranks]);
  useEffect(() => {
    feed.start();
    return () => feed.stop();
  }, [feed]);
  useSyncExternalStore(feed.subscribe, () => feed.version);
  const box = useRef<HTMLDivElement>(null);
  const [atEnd, setAtEnd] = useState(true);
  useLayoutEffect(() => {
    if (atEnd && box.current) box.current.scrollTop = box.current.scrollHeight;
  }, [feed.version, atEnd]);
  return (
    <div className="log-place">
      {feed.error && !feed.ended && <Problem error={feed.error} />}
      <p className="note log-merged-note">
        {count(feed.lines.length)} lines of {logs.length} ranks in the order in which they came{feed.cut && "; earlier ones are in the log of each rank"}
      </p>
      <div
        ref={box}
        className="log-frame log-merged"
        role="log"
        aria-label="Output of all ranks"
        aria-live="off"
        tabIndex={0}
        onScroll={(event) => {
          const { scrollTop, scrollHeight, clientHeight } = event.currentTarget;
          setAtEnd(scrollHeight - scrollTop - clientHeight < NEAR_END);
        }}
      >
        {feed.lines.length === 0 && <p className="note log-wait">{feed.ended ? "No rank printed anything." : "Waiting for output …"}</p>}
        {feed.lines.map((line) => (
          <Line key={line.key} line={line} />
        ))}
      </div>
      {!atEnd && (
        <Button small className="log-follow" onClick={() => setAtEnd(true)}>
          To the end
        </Button>
      )}
    </div>
  );
}
