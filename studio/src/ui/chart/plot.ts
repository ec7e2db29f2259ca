// One chart on the page, outside of React: uPlot for axes, scales and the mouse; paint.ts for the curves.
// It is made when it first comes into sight, and drawn only while it is in sight.
import uPlot from "uplot";
import { textScale } from "../../lib/size";
import { themeColor } from "../../lib/theme";
import { extent, nearest, padded, usualWithin, valuesWithin, type Drawn, type Range, type XKind, type YLimits } from "./curve";
import { same, type Member } from "./group";
import { logSplits } from "./log_axis";
import { paint } from "./paint";
import { RELATIVE_STEPS, tick, xLabels, yLabel, type Unit } from "./ticks";

export interface PlotOptions {
  xKind: XKind;
  logY: boolean;
  height: number;
  unit?: Unit;
  y?: YLimits;
  /** A zoom by the user. */
  onRange: (range: Range | null) => void;
  /** The cursor went to x (null: away); `own` when it was moved on this very chart, then with its height in pixels. */
  onCursor: (x: number | null, own: boolean, top: number) => void;
}

const STEPS = [1, 2, 5].flatMap((digit) => [1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9].map((power) => digit * power)).sort((a, b) => a - b);

/** Units whose axis begins at 0. */
const FROM_NOTHING: (Unit | undefined)[] = ["bytes/s", "ms", "1/s"];

export class Plot implements Member {
  plot: uPlot | undefined;
  private curves: Drawn[] = [];
  private range: Range | null = null;
  private full: Range | null = null;
  private visible = false;
  private dirty = true;
  private quiet = false;
  private hovered = false;
  /** Where the cursor was put from outside. */
  private at: number | null = null;
  private moving = false;
  private moved: ReturnType<typeof setTimeout> | undefined;
  private readonly seen: IntersectionObserver;
  private readonly sized: ResizeObserver;

  constructor(
    private readonly host: HTMLElement,
    private readonly options: PlotOptions,
  ) {
    const { top, bottom } = host.getBoundingClientRect();
    this.visible = bottom > 0 && top < innerHeight;
    this.seen = new IntersectionObserver(
      ([entry]) => {
        this.visible = entry!.isIntersecting;
        this.draw();
      },
      { rootMargin: "40px" },
    );
    this.seen.observe(host);
    this.sized = new ResizeObserver(() => {
      const width = host.clientWidth;
      if (this.plot && width > 0 && width !== this.plot.width) this.plot.setSize({ width, height: options.height });
    });
    this.sized.observe(host);
    host.addEventListener("wheel", this.wheel, { passive: false });
    host.addEventListener("pointerenter", this.hover);
    host.addEventListener("pointerleave", this.hover);
  }

  destroy(): void {
    clearTimeout(this.moved);
    this.seen.disconnect();
    this.sized.disconnect();
    this.host.removeEventListener("wheel", this.wheel);
    this.host.removeEventListener("pointerenter", this.hover);
    this.host.removeEventListener("pointerleave", this.hover);
    this.plot?.destroy();
    this.plot = undefined;
  }

  setCurves(curves: Drawn[]): void {
    this.curves = curves;
    this.full = extent(curves);
    this.dirty = true;
    this.draw();
  }

  showRange(range: Range | null): void {
    if (same(this.range, range)) return;
    this.range = range;
    this.dirty = true;
    this.draw();
  }

  showCursor(x: number | null): void {
    this.at = x;
    if (!this.plot || !this.visible) return;
    this.quiet = true;
    const [from, to] = this.shown;
    const inside = x !== null && x >= from && x <= to;
    this.plot.setCursor({ left: inside ? this.plot.valToPos(x, "x") : -10, top: inside ? 1 : -10 });
    this.quiet = false;
  }

  /** The x that are shown now. */
  get shown(): Range {
    return this.range ?? this.full ?? [0, 1];
  }

  /** The nearest x at which a curve has a point. */
  snap(x: number): number | null {
    let best: number | null = null;
    for (const curve of this.curves) {
      const at = curve.hidden ? -1 : nearest(curve.x, x);
      if (at >= 0 && (best === null || Math.abs(curve.x[at]! - x) < Math.abs(best - x))) best = curve.x[at]!;
    }
    return best;
  }

  /** The cursor goes `by` points on, for the keyboard. */
  step(from: number | null, by: number): number | null {
    const curve = this.curves.reduce<Drawn | undefined>((most, one) => (!one.hidden && one.x.length > (most?.x.length ?? 0) ? one : most), undefined);
    if (!curve) return null;
    const [first, last] = this.shown;
    const at = from === null ? (by > 0 ? nearest(curve.x, first) : nearest(curve.x, last)) : nearest(curve.x, from) + by;
    const x = curve.x[Math.max(0, Math.min(curve.x.length - 1, at))]!;
    return Math.max(first, Math.min(last, x));
  }

  /** In (factor < 1) or out around a place. */
  zoomAround(x: number, factor: number): void {
    const [from, to] = this.shown;
    const full = this.full ?? [from, to];
    const next: Range = [x - (x - from) * factor, x + (to - x) * factor];
    if (next[1] - next[0] < (full[1] - full[0]) * 1e-7) return;
    const clipped: Range = [Math.max(full[0], next[0]), Math.min(full[1], next[1])];
    this.options.onRange(clipped[0] <= full[0] && clipped[1] >= full[1] ? null : clipped);
  }

  private hover = (event: PointerEvent): void => {
    this.hovered = event.type === "pointerenter";
    if (!this.hovered) this.options.onCursor(null, true, 0);
  };

  private wheel = (event: WheelEvent): void => {
    if (!this.plot || !this.full) return;
    const over = this.plot.rect;
    if (event.ctrlKey || event.metaKey) {
      event.preventDefault();
      this.rest();
      this.zoomAround(this.plot.posToVal(event.clientX - over.left, "x"), Math.exp(event.deltaY * (event.deltaMode === 1 ? 0.05 : 0.002)));
    } else if (this.range && (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY))) {
      event.preventDefault();
      this.rest();
      const [from, to] = this.range;
      const wanted = ((event.deltaX || event.deltaY) / over.width) * (to - from);
      const by = Math.max(this.full[0] - from, Math.min(this.full[1] - to, wanted));
      if (by !== 0) this.options.onRange([from + by, to + by]);
    }
  };

  // The values under the cursor would change with every frame of a zoom: they are told again when it has come to rest.
  private rest(): void {
    if (!this.moving) this.options.onCursor(null, true, 0);
    this.moving = true;
    clearTimeout(this.moved);
    this.moved = setTimeout(() => {
      this.moving = false;
    }, 150);
  }

  private draw(): void {
    if (!this.visible || !this.dirty) return;
    if (!this.plot) {
      if (this.host.clientWidth === 0 || !this.full) return;
      this.plot = new uPlot(this.settings(), [this.full, [null, null]], this.host);
    }
    this.dirty = false;
    const [min, max] = this.shown;
    this.plot.setScale("x", { min, max });
    // uPlot keeps the cursor's place on the screen, and draws in a microtask: after it, back to its x.
    if (!this.hovered && this.at !== null) queueMicrotask(() => this.showCursor(this.at));
  }

  private yRange = (): Range => {
    const usual = this.usualRange();
    const { min, max } = this.options.y ?? {};
    const [low, high] = [min ?? usual[0], max ?? usual[1]];
    const fits = low < high && !(this.options.logY && low <= 0);
    return fits ? [low, high] : usual;
  };

  private usualRange(): Range {
    const { cut = 0 } = this.options.y ?? {};
    const found = cut > 0 ? usualWithin(this.curves, this.shown, this.options.logY, cut) : valuesWithin(this.curves, this.shown, this.options.logY);
    // Shares and rates are judged against nothing and, if it is known, all.
    if (this.options.unit === "percent") return [0, Math.max(100, found?.[1] ?? 0)];
    if (FROM_NOTHING.includes(this.options.unit)) return [0, (found?.[1] || 1) * 1.05];
    return found ? padded(found, this.options.logY) : this.options.logY ? [0.1, 10] : [0, 1];
  }

  private settings(): uPlot.Options {
    const { xKind, logY, height, unit } = this.options;
    const muted = themeColor("--muted");
    const scale = textScale();
    const font = `${Math.round(11 * scale)}px system-ui, -apple-system, "Segoe UI", Roboto, "DejaVu Sans", sans-serif`;
    const axis: uPlot.Axis = { stroke: muted, font, grid: { stroke: themeColor("--line"), width: 1 }, ticks: { show: false } };
    const step = (splits: number[]) => (splits.length > 1 ? Math.abs(splits[1]! - splits[0]!) : 1);
    return {
      width: this.host.clientWidth,
      height,
      padding: [8, 14, 0, 2],
      legend: { show: false },
      scales: {
        x: { time: xKind === "time", range: (_, min, max) => [min, max] },
        y: { distr: logY ? 3 : 1, range: this.yRange },
      },
      series: [{}, { paths: () => null, points: { show: false } }],
      axes: [
        {
          ...axis,
          size: 26 * scale,
          gap: 6,
          space: 62 * scale,
          ...(xKind === "relative" ? { incrs: RELATIVE_STEPS } : xKind === "step" ? { incrs: STEPS } : {}),
          values: (_, splits, __, ___, found) => xLabels(xKind, splits, found),
        },
        {
          ...axis,
          gap: 5,
          space: 28 * scale,
          ...(logY ? { splits: (_: uPlot, __: number, low: number, high: number) => logSplits(low, high, Math.max(2, Math.floor((height - 34 * scale) / (24 * scale)))), filter: (_: uPlot, splits: number[]) => splits } : {}),
          size: (_, labels) => 14 + 6.2 * scale * Math.max(3, ...(labels ?? []).map((label) => (label ?? "").length)),
          values: (_, splits) => splits.map((value) => (value === null ? null : logY ? tick(value, Math.abs(value)) : yLabel(value, step(splits), unit))) as string[],
        },
      ],
      cursor: {
        y: false,
        points: { show: false },
        drag: { x: true, y: false, setScale: false, dist: 4 },
        move: (plot, left, top) => {
          const x = left < 0 ? null : this.snap(plot.posToVal(left, "x"));
          return x === null ? [left, top] : [plot.valToPos(x, "x"), top];
        },
        bind: { dblclick: () => () => (this.options.onRange(null), null) },
      },
      hooks: {
        draw: [(plot) => paint(plot, this.curves, uPlot.pxRatio)],
        setSelect: [
          (plot) => {
            const { left, width } = plot.select;
            if (width < 4) return;
            plot.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
            this.options.onRange([plot.posToVal(left, "x"), plot.posToVal(left + width, "x")]);
          },
        ],
        setCursor: [
          (plot) => {
            if (this.moving) return;
            const { left } = plot.cursor;
            // uPlot tells it after each drawing as well: only the chart under the mouse speaks for the others.
            const x = left === undefined || left === null || left < 0 ? null : this.snap(plot.posToVal(left, "x"));
            this.options.onCursor(x, this.hovered && !this.quiet, plot.cursor.top ?? 0);
          },
        ],
      },
    };
  }
}
