// Curves over a common x axis. Drag to zoom, double click to see all; the arrow keys move the cursor.
import { memo, useEffect, useMemo, useRef, useState, type KeyboardEvent, type ReactNode } from "react";
import "uplot/dist/uPlot.min.css";
import { textScale } from "../lib/size";
import { useThemeVersion } from "../lib/theme";
import { Button } from "./base";
import { drawnOf, type Curve, type Range, type XKind, type YLimits } from "./chart/curve";
import type { ChartGroup } from "./chart/group";
import { CursorView } from "./chart/cursor";
import { Legend, Summary } from "./chart/legend";
import { Plot } from "./chart/plot";
import { curvesCsv, download, fileName, savePng } from "./chart/save";
import { xText, type Unit } from "./chart/ticks";
import { notify } from "./notify";
import "./chart/chart.css";

export type { Curve, Range, XKind, YLimits } from "./chart/curve";

export interface ChartProps {
  title: string;
  /** Keep the array the same while the data are the same: a new one is drawn anew. */
  curves: Curve[];
  /** time: x is seconds since 1970; relative: seconds. */
  xKind: XKind;
  logY?: boolean;
  /** 0 to 1: draws the smoothed curve, and the raw one faintly behind it. */
  smoothing?: number;
  /** What part of x is shown; null is all of it. */
  range?: Range | null;
  onRange?: (range: Range | null) => void;
  /** Charts of a group zoom together and share the cursor; instead of range and onRange. */
  group?: ChartGroup;
  height?: number;
  unit?: Unit;
  /** What part of y is shown. */
  y?: YLimits | undefined;
  actions?: ReactNode;
  /** A short remark beside the title, for example that points are left out. */
  note?: ReactNode;
  /** Makes the whole data as CSV; without it the CSV has what the chart shows. */
  csv?: () => Promise<string>;
  /** Its points are on their way. */
  loading?: boolean;
}

/** Pixels that a chart in the whole window leaves to its title and its legend. */
const ABOVE_AND_BELOW = 200;

export const Chart = memo(function Chart(props: ChartProps) {
  const { title, curves, xKind, logY = false, smoothing = 0, range = null, onRange, group, unit, actions, note, csv, loading = false } = props;
  const theme = useThemeVersion();
  const [full, setFull] = useState(false);
  const height = full ? Math.max(200, window.innerHeight - ABOVE_AND_BELOW) : Math.round((props.height ?? 220) * textScale());
  const { min, max, cut } = props.y ?? {};
  const host = useRef<HTMLDivElement>(null);
  const plot = useRef<Plot>(null);
  const [hidden, setHidden] = useState<ReadonlySet<string>>(new Set());
  const drawn = useMemo(() => curves.map((curve) => drawnOf(curve, smoothing, hidden.has(curve.id))), [curves, smoothing, hidden]);
  const cursor = useRef<CursorView>(null);
  const latest = useRef({ onRange, group, drawn });
  latest.current = { onRange, group, drawn };

  useEffect(() => {
    const view = (cursor.current = new CursorView(host.current!, xKind, unit));
    const made = new Plot(host.current!, {
      xKind,
      logY,
      height,
      unit,
      y: { ...(min === undefined ? {} : { min }), ...(max === undefined ? {} : { max }), ...(cut === undefined ? {} : { cut }) },
      onRange: (next) => (latest.current.group ? latest.current.group.zoom(next) : latest.current.onRange?.(next)),
      onCursor: (x, own, top) => {
        view.show(made.plot, x, latest.current.drawn, own ? top : undefined);
        if (own) latest.current.group?.cursor(x, made);
      },
    });
    plot.current = made;
    made.setCurves(latest.current.drawn);
    view.refresh(undefined, latest.current.drawn);
    const leave = group?.add(made);
    return () => {
      leave?.();
      view.destroy();
      made.destroy();
      plot.current = null;
    };
  }, [xKind, logY, height, unit, theme, group, min, max, cut]);
  useEffect(() => {
    if (!full) return;
    const escape = (event: globalThis.KeyboardEvent) => event.key === "Escape" && setFull(false);
    document.addEventListener("keydown", escape);
    return () => document.removeEventListener("keydown", escape);
  }, [full]);
  useEffect(() => {
    plot.current?.setCurves(drawn);
    cursor.current?.refresh(plot.current?.plot, drawn);
  }, [drawn]);
  useEffect(() => {
    if (!group) plot.current?.showRange(range);
  }, [range?.[0], range?.[1], group, xKind, logY, height, unit, theme, min, max, cut]);

  const keys = (event: KeyboardEvent) => {
    const one = plot.current;
    const view = cursor.current;
    if (!one || !view || event.altKey || event.ctrlKey || event.metaKey) return;
    const go = (x: number | null) => {
      one.showCursor(x);
      group?.cursor(x, one);
    };
    const by = event.shiftKey ? 10 : 1;
    const [from, to] = one.shown;
    const middle = view.x ?? (from + to) / 2;
    if (event.key === "ArrowRight") go(one.step(view.x, by));
    else if (event.key === "ArrowLeft") go(one.step(view.x, -by));
    else if (event.key === "Home") go(one.snap(from));
    else if (event.key === "End") go(one.snap(to));
    else if (event.key === "+" || event.key === "=") one.zoomAround(middle, 0.7);
    else if (event.key === "-") one.zoomAround(middle, 1 / 0.7);
    else if (event.key === "0" || event.key === "Escape") {
      if (group) group.zoom(null);
      else onRange?.(null);
      if (event.key === "Escape") go(null);
    } else return;
    event.preventDefault();
  };

  const saveCsv = async () => {
    try {
      download(new Blob([csv ? await csv() : curvesCsv(drawn, xKind)], { type: "text/csv" }), fileName(title, "csv"));
    } catch (error) {
      notify((error as Error).message, true);
    }
  };
  const empty = curves.every((curve) => curve.x.length === 0);
  return (
    <figure className={full ? "chart full" : "chart"}>
      <figcaption>
        <span className="chart-title" title={title}>
          {title}
        </span>
        {note && <span className="chart-note note">{note}</span>}
        <span className="chart-actions">
          {actions}
          <Button kind="quiet" small aria-pressed={full} title={full ? "Back to its size (Escape)" : "Fill the window"} aria-label={`${title} in the whole window`} onClick={() => setFull(!full)}>
            <span aria-hidden="true">⛶</span>
          </Button>
          <Button kind="quiet" small title="Save the chart as PNG" aria-label={`Save the chart ${title} as PNG`} onClick={() => plot.current?.plot && savePng(plot.current.plot.ctx.canvas, title, drawn)}>
            PNG
          </Button>
          <Button kind="quiet" small title="Save all points as CSV" aria-label={`Save the points of ${title} as CSV`} onClick={() => void saveCsv()}>
            CSV
          </Button>
        </span>
      </figcaption>
      <div
        ref={host}
        className="chart-plot"
        style={{ height }}
        role="slider"
        tabIndex={0}
        aria-label={`${title}: the arrow keys move the cursor, plus and minus zoom, 0 shows all`}
        aria-valuenow={0}
        aria-valuetext={empty ? "no points" : `${curves.length} curves by ${xText(xKind, 0).split(" ")[0]}`}
        onKeyDown={keys}
        onBlur={() => plot.current?.showCursor(null)}
      >
        {empty && <p className="chart-empty note">{loading ? "Loading …" : "No points yet"}</p>}
      </div>
      <Legend
        title={title}
        curves={drawn}
        onToggle={(id) =>
          setHidden((old) => {
            const next = new Set(old);
            if (!next.delete(id)) next.add(id);
            return next;
          })
        }
      />
      <Summary title={title} curves={curves} />
    </figure>
  );
});
