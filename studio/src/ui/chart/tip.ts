// The values under the mouse beside it, the greatest first. Written straight into the page, as the cursor's dots are.
import type uPlot from "uplot";
import { number } from "../../lib/format";
import { nearest, type Drawn } from "./curve";
import { placeOf } from "./paint";
import { exact, type Unit } from "./ticks";

const MOST = 14;

export interface TipLine {
  curve: Drawn;
  /** Null where it is NaN or infinite. */
  value: number | null;
}

/** What the curves are near x, sorted by value; those that are no numbers come last. */
export function tipLines(curves: readonly Drawn[], x: number): TipLine[] {
  const lines: TipLine[] = [];
  for (const curve of curves) {
    const at = curve.hidden ? -1 : nearest(curve.x, x);
    if (at < 0) continue;
    const value = curve.line[at] ?? null;
    if (value === null && curve.odd === undefined) continue;
    lines.push({ curve, value });
  }
  return lines.sort((a, b) => (b.value ?? -Infinity) - (a.value ?? -Infinity));
}

export class Tip {
  private box: HTMLElement | undefined;

  remove(): void {
    this.box?.remove();
    this.box = undefined;
  }

  hide(): void {
    if (this.box) this.box.style.display = "none";
  }

  show(plot: uPlot, x: number, top: number, curves: readonly Drawn[], place: string, unit: Unit | undefined): void {
    const lines = tipLines(curves, x);
    if (lines.length === 0) return this.hide();
    if (!this.box) {
      this.box = document.createElement("div");
      this.box.className = "chart-tip";
      this.box.setAttribute("aria-hidden", "true");
    }
    if (this.box.parentElement !== plot.over) plot.over.append(this.box);
    this.fill(this.box, lines, nearestLine(plot, lines, top), place, unit);
    this.box.style.display = "";
    const left = plot.valToPos(x, "x");
    const { clientWidth, clientHeight } = plot.over;
    const { offsetWidth, offsetHeight } = this.box;
    const toLeft = left + offsetWidth + 16 > clientWidth && left - offsetWidth - 12 >= 0;
    const y = Math.max(0, Math.min(clientHeight - offsetHeight, top - offsetHeight / 2));
    this.box.style.transform = `translate(${Math.round(toLeft ? left - offsetWidth - 12 : left + 12)}px, ${Math.round(y)}px)`;
  }

  private fill(box: HTMLElement, lines: readonly TipLine[], near: TipLine | undefined, place: string, unit: Unit | undefined): void {
    const rows: HTMLElement[] = [text("b", place)];
    // The one under the mouse is among them, however many there are.
    const from = Math.max(0, Math.min(lines.length - MOST, lines.findIndex((line) => line === near) - MOST / 2));
    for (const line of lines.slice(from, from + MOST)) {
      const { curve, value } = line;
      const row = document.createElement("div");
      const mark = document.createElement("i");
      mark.style.background = curve.color.startsWith("--") ? `var(${curve.color})` : curve.color;
      row.append(mark, text("span", curve.label), text("em", value === null ? "NaN" : unit ? exact(value, unit) : number(value)));
      if (line === near && lines.length > 1) row.className = "near";
      rows.push(row);
    }
    if (lines.length > MOST) rows.push(text("small", `and ${lines.length - MOST} more`));
    box.replaceChildren(...rows);
  }
}

function text(tag: string, content: string): HTMLElement {
  const element = document.createElement(tag);
  element.textContent = content;
  return element;
}

function nearestLine(plot: uPlot, lines: readonly TipLine[], top: number): TipLine | undefined {
  const place = placeOf(plot);
  const ratio = plot.ctx.canvas.width / plot.width;
  let best: TipLine | undefined;
  let least = Infinity;
  for (const line of lines) {
    if (!place.shown(line.value)) continue;
    const away = Math.abs((place.y(line.value) - plot.bbox.top) / ratio - top);
    if (away < least) [best, least] = [line, away];
  }
  return best;
}
