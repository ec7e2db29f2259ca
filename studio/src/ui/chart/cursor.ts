// What the cursor points at: dots on the curves and exact values in the legend, written straight into the page
// so that a moving mouse renders nothing.
import type uPlot from "uplot";
import { number } from "../../lib/format";
import { nearest, type Drawn, type XKind } from "./curve";
import { Tip } from "./tip";
import { placeOf } from "./paint";
import { exact, xText, type Unit } from "./ticks";

const MOST_DOTS = 12;

export class CursorView {
  x: number | null = null;
  private dots: HTMLElement[] = [];
  private values: HTMLElement[] = [];
  private place: HTMLElement | null = null;
  private readonly tip = new Tip();

  constructor(
    private readonly host: HTMLElement,
    private readonly xKind: XKind,
    private readonly unit: Unit | undefined,
  ) {}

  destroy(): void {
    for (const dot of this.dots) dot.remove();
    this.tip.remove();
    this.dots = [];
  }

  /** The curves are others now. */
  refresh(plot: uPlot | undefined, curves: readonly Drawn[]): void {
    const figure = this.host.closest("figure");
    this.values = [...(figure?.querySelectorAll<HTMLElement>(".chart-legend [data-value]") ?? [])];
    this.place = figure?.querySelector<HTMLElement>(".chart-legend [data-place]") ?? null;
    this.write(this.x, curves);
    this.moveDots(plot, this.x, curves);
  }

  /** `top`: how far down the mouse is, if it is on this chart. */
  show(plot: uPlot | undefined, x: number | null, curves: readonly Drawn[], top?: number): void {
    if (plot && x !== null && top !== undefined) this.tip.show(plot, x, top, curves, xText(this.xKind, x), this.unit);
    else this.tip.hide();
    if (x !== this.x) this.write(x, curves);
    else if (x === null) return;
    this.moveDots(plot, x, curves);
  }

  private write(x: number | null, curves: readonly Drawn[]): void {
    this.x = x;
    const told: string[] = [];
    curves.forEach((curve, at) => {
      const index = x === null ? lastOf(curve.y) : nearest(curve.x, x);
      const text = index < 0 && curve.last === undefined ? "–" : this.valueText(curve, index);
      const row = this.values[at];
      // One curve has room for every digit; of several the whole value is told when one asks for it.
      const short = curves.length === 1 ? text : this.shortText(curve, index);
      if (row && row.textContent !== short) row.textContent = short;
      if (row && row.title !== text) row.title = text;
      if (row) row.classList.toggle("odd", text.includes("NaN") || text.includes("Infinity"));
      if (told.length < 8 && !curve.hidden) told.push(`${curve.label} ${text}`);
    });
    if (this.place) this.place.textContent = x === null ? "last" : xText(this.xKind, x);
    if (x === null) return;
    this.host.setAttribute("aria-valuenow", String(x));
    this.host.setAttribute("aria-valuetext", `${xText(this.xKind, x)}: ${told.join(", ")}`);
  }

  private valueText(curve: Drawn, index: number): string {
    const last = this.x === null ? curve.last : undefined;
    const raw = last ?? curve.y[index] ?? (curve.odd === undefined ? null : NaN);
    const [low, high] = [curve.low?.[index], curve.high?.[index]];
    // Where a place stands for several points, its value is one that was never logged.
    const several = last === undefined && low !== undefined && high !== undefined && low !== high;
    let text = `${several ? "mean " : ""}${exact(raw, this.unit)}`;
    if (curve.line !== curve.y) text = `${number(curve.line[index])} (raw ${text})`;
    if (this.x !== null && several) text += ` [${exact(low, this.unit)} … ${exact(high, this.unit)}]`;
    return text;
  }

  private shortText(curve: Drawn, index: number): string {
    if (this.unit) return this.valueText(curve, index);
    const last = this.x === null ? curve.last : undefined;
    const value = last ?? curve.line[index] ?? (curve.odd === undefined ? null : NaN);
    const several = last === undefined && curve.low?.[index] !== curve.high?.[index];
    return `${several ? "mean " : ""}${value === null ? "–" : number(value)}`;
  }

  private moveDots(plot: uPlot | undefined, x: number | null, curves: readonly Drawn[]): void {
    if (!plot) return;
    const shown = x === null ? [] : curves.filter((curve) => !curve.hidden).slice(0, MOST_DOTS);
    const place = placeOf(plot);
    const ratio = plot.ctx.canvas.width / plot.width;
    for (let i = 0; i < Math.max(shown.length, this.dots.length); i += 1) {
      let dot = this.dots[i];
      if (!dot) {
        dot = document.createElement("i");
        dot.className = "chart-dot";
        this.dots.push(dot);
      }
      if (dot.parentElement !== plot.over) plot.over.append(dot);
      const curve = shown[i];
      const index = curve ? nearest(curve.x, x!) : -1;
      const value = curve?.line[index];
      if (!curve || !place.shown(value)) {
        dot.style.display = "none";
        continue;
      }
      dot.style.display = "";
      dot.style.background = curve.color.startsWith("--") ? `var(${curve.color})` : curve.color;
      const left = (place.x(curve.x[index]!) - plot.bbox.left) / ratio;
      const top = (place.y(value) - plot.bbox.top) / ratio;
      dot.style.transform = `translate(${left}px, ${top}px)`;
    }
  }
}

function lastOf(values: readonly (number | null)[]): number {
  for (let i = values.length - 1; i >= 0; i -= 1) if (values[i] !== null) return i;
  return -1;
}
