// Curves over a common x axis. Drag to zoom, double click to see all; the arrow keys move the cursor.
import { memo, useEffect, useMemo, useRef, useState, type KeyboardEvent, type ReactNode } from "react";
import "uplot/dist/uPlot.min.css";
import { textScale } from "../lib/size";
import { useThemeVersion } from "../lib/theme";
import { Button } from "./base";
import { drawnOf, type Curve, type Range, type XKind } from "./chart/curve";
import type { ChartGroup } from "./chart/group";
import { CursorView } from "./chart/cursor";
import { Legend, Summary } from "./chart/legend";
import { Plot } from "./chart/plot";
import { curvesCsv, download, fileName, savePng } from "./chart/save";
import { xText, type Unit } from "./chart/ticks";
import { notify } from "./notify";
import "./chart/chart.css";

export type { Curve, Range, XKind } from "./chart/curve";

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
  actions?: ReactNode;
  /** A short remark beside the title, for example that points are left out. */
  note?: ReactNode;
  /** Makes the whole data as CSV; without it the CSV has what the chart shows. */
  csv?: () => Promise<string>;
  /** Its points are on their way. */
  loading?: boolean;
}

export const Chart = memo(function Chart(props: ChartProps) {
  const { title, curves, xKind, logY = false, smoothing = 0, range = null, onRange, group, unit, actions, note, csv, loading = false } = props;
  const theme = useThemeVersion();
  const height = Math.round((props.height ?? 220) * textScale());
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
      onRange: (next) => (latest.current.group ? latest.current.group.zoom(next) : latest.current.onRange?.(next)),
      onCursor: (x, own) => {
        view.show(made.plot, x, latest.current.drawn);
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
  }, [xKind, logY, height, unit, theme, group]);
  useEffect(() => {
    plot.current?.setCurves(drawn);
    cursor.current?.refresh(plot.current?.plot, drawn);
  }, [drawn]);
  useEffect(() => {
    if (!group) plot.current?.showRange(range);
  }, [range?.[0], range?.[1], group, xKind, logY, height, unit, theme]);

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
    <figure className="chart">
      <figcaption>
        <span className="chart-title" title={title}>
          {title}
        </span>
        {note && <span className="chart-note note">{note}</span>}
        <span className="chart-actions">
          {actions}
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
