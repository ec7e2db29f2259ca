// The rows of a log that are in view.
import { useCallback, useEffect, useImperativeHandle, useLayoutEffect, useRef, useState, useSyncExternalStore, type KeyboardEvent, type Ref } from "react";
import { Bar } from "./bar";
import { offsetOf, type LogFile, type Row } from "./log_file";
import { moved, rowsAt, type Place } from "./place";
import { MORE, MOST_SHOWN, RowView, shownText } from "./row";
import { measure, useScrollGestures, type Measures } from "./scroller";

export interface ViewerHandle {
  /** Brings a byte into view, a little below the top. */
  show: (offset: number) => void;
  goTo: (fraction: number) => void;
  end: () => void;
  /** The byte at the top of the view. */
  top: () => number;
  focus: () => void;
}

interface ViewerProps {
  file: LogFile;
  wrap: boolean;
  query: string;
  marked: number | undefined;
  ticks: readonly number[];
  ref: Ref<ViewerHandle>;
  onEnd: (atEnd: boolean) => void;
  onFind: () => void;
  onLink: (offset: number) => void;
}

/** Of rows one below the other, the one at so many pixels from the top of the first. */
function lastVisible(rows: readonly Row[], pixels: number, height: (row: Row) => number): Row | undefined {
  let bottom = 0;
  return rows.find((row) => (bottom += height(row)) >= pixels) ?? rows[rows.length - 1];
}

export function Viewer({ file, wrap, query, marked, ticks, ref, onEnd, onFind, onLink }: ViewerProps) {
  useSyncExternalStore(file.subscribe, () => file.version);
  const box = useRef<HTMLDivElement>(null);
  const probe = useRef<HTMLSpanElement>(null);
  const [kept, setPlace] = useState<Place>({ at: "end" });
  const [sizes, setSizes] = useState<Measures>({ width: 800, height: 600, line: 19, character: 7.5 });
  const [expanded, setExpanded] = useState<ReadonlyMap<number, number>>(new Map());
  const heights = useRef(new Map<number, number>());

  const height = useCallback(
    (row: Row): number => {
      if (!wrap) return sizes.line;
      const known = heights.current.get(offsetOf(row));
      if (known !== undefined) return known;
      const columns = Math.max(10, Math.floor((sizes.width - 24) / sizes.character));
      return sizes.line * Math.max(1, Math.ceil(Math.min(row.window.byteLength(row.index) - 1, MOST_SHOWN) / columns));
    },
    [wrap, sizes],
  );

  // A row that is to be below the top waits for the rows above it, which may be on their way.
  const place = kept.at === "row" && kept.hidden < 0 ? moved(file, kept, 0, height) : kept;
  const rows = rowsAt(file, place, Math.ceil(sizes.height / sizes.line) + 2);
  const previous = rows?.[0] && offsetOf(rows[0]) > 0 ? file.previous(rows[0]) : null;
  // Asked for before they are needed.
  if (rows?.[0]) {
    file.window(rows[0].window.index - 1);
    file.window(rows[rows.length - 1]!.window.index + 1);
  }

  useLayoutEffect(() => {
    const update = () => box.current && probe.current && setSizes(measure(box.current, probe.current));
    update();
    const observer = new ResizeObserver(update);
    observer.observe(box.current!);
    return () => observer.disconnect();
  }, []);
  useEffect(() => heights.current.clear(), [wrap, sizes.width, expanded]);

  const elements = () => [...(box.current?.querySelectorAll<HTMLElement>(".log-row") ?? [])];
  useLayoutEffect(() => {
    const shown = elements();
    if (heights.current.size > 5000) heights.current.clear();
    if (wrap) for (const element of shown) heights.current.set(Number(element.dataset.offset), element.getBoundingClientRect().height);
    const last = rows?.[rows.length - 1];
    if (place.at !== "row" || !last || last.window.after(last.index) < file.size) return;
    if (shown.length > 0 && shown[shown.length - 1]!.getBoundingClientRect().bottom <= box.current!.getBoundingClientRect().top + sizes.height + 1) setPlace({ at: "end" });
  });
  useEffect(() => onEnd(place.at === "end"), [place.at, onEnd]);

  /** The place as a row, also at the end, where only the page knows which row is at the top. */
  const anchor = (): (Place & { at: "row" }) | undefined => {
    if (place.at === "row") return place;
    const top = box.current!.getBoundingClientRect().top;
    const first = elements().find((element) => element.getBoundingClientRect().bottom > top + 0.5);
    return first && { at: "row", offset: Number(first.dataset.offset), hidden: top - first.getBoundingClientRect().top };
  };
  const scrollBy = (pixels: number): boolean => {
    if (place.at === "end" && pixels >= 0) return false;
    const from = anchor();
    if (!from) return false;
    if (from.hidden < -0.5) return false;
    const next = moved(file, from, pixels, height);
    if (next.at === "row" && next.offset === from.offset && next.hidden === from.hidden) return false;
    setPlace(next);
    return true;
  };
  useScrollGestures(box, sizes.line, scrollBy);

  const show = (offset: number) => setPlace({ at: "row", offset, hidden: -sizes.height / 4 });
  const goTo = (fraction: number) => setPlace(fraction >= 0.9995 ? { at: "end" } : { at: "row", offset: Math.floor(fraction * file.size), hidden: 0 });
  const top = () => (place.at === "row" ? place.offset : rows?.[0] ? offsetOf(rows[0]) : 0);
  useImperativeHandle(ref, () => ({ show, goTo, end: () => setPlace({ at: "end" }), top, focus: () => box.current?.focus() }));

  const keys = (event: KeyboardEvent) => {
    if ((event.ctrlKey || event.metaKey) && event.key === "f") {
      event.preventDefault();
      onFind();
      return;
    }
    if (event.altKey || event.metaKey || (event.ctrlKey && event.key !== "Home" && event.key !== "End")) return;
    const page = Math.max(sizes.line, sizes.height - 2 * sizes.line);
    const moves: Record<string, () => unknown> = {
      ArrowUp: () => scrollBy(-sizes.line),
      ArrowDown: () => scrollBy(sizes.line),
      PageUp: () => scrollBy(-page),
      PageDown: () => scrollBy(page),
      " ": () => scrollBy(event.shiftKey ? -page : page),
      Home: () => goTo(0),
      End: () => goTo(1),
    };
    if (!moves[event.key] || event.target !== box.current) return;
    event.preventDefault();
    moves[event.key]!();
  };

  const onMore = useCallback((offset: number) => setExpanded((now) => new Map(now).set(offset, (now.get(offset) ?? MOST_SHOWN) + MORE)), []);
  const markedRow = marked === undefined ? undefined : rows?.find((row) => offsetOf(row) <= marked && marked < row.window.after(row.index));
  const last = rows?.[rows.length - 1];
  const visible = rows && lastVisible(rows, sizes.height + (place.at === "row" ? place.hidden : 0), height);
  const from = rows?.[0] ? offsetOf(rows[0]) : place.at === "row" ? place.offset : file.size;
  return (
    <div className="log-frame">
      <div
        ref={box}
        id="log-view"
        className={`log-view ${wrap ? "wrap" : ""} ${place.at === "end" ? "at-end" : ""}`}
        tabIndex={0}
        role="group"
        aria-label={`Log ${file.name}`}
        aria-busy={rows === undefined}
        onKeyDown={keys}
        onScroll={(event) => (event.currentTarget.scrollTop = 0)}
      >
        <span ref={probe} className="log-probe" aria-hidden="true">
          0123456789
        </span>
        {rows === undefined && <p className="note log-wait">Loading this part of the log …</p>}
        <div className="log-rows" style={place.at === "row" ? { marginTop: -place.hidden } : undefined}>
          {rows?.map((row) => {
            const offset = offsetOf(row);
            const { text, left } = shownText(row, expanded.get(offset) ?? MOST_SHOWN);
            return (
              <RowView
                key={offset}
                offset={offset}
                text={text}
                left={left}
                pen={file.pen(row)}
                query={query}
                marked={row === markedRow}
                continued={row.window.isContinued(row.index)}
                onMore={onMore}
                onLink={onLink}
              />
            );
          })}
          {previous === undefined && place.at === "end" && rows && rows.length < 3 && <p className="note">…</p>}
        </div>
      </div>
      <Bar size={file.size} from={from} to={place.at === "end" ? file.size : visible ? visible.window.after(visible.index) : last ? last.window.after(last.index) : from} marks={ticks} controls="log-view" onGo={goTo} />
    </div>
  );
}
