// A chart as a file: PNG as it looks, CSV as it is.
import { themeColor } from "../../lib/theme";
import type { Drawn, XKind } from "./curve";
import { resolved } from "./paint";

export function download(content: Blob, name: string): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(content);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

export const fileName = (title: string, ending: string): string => `${title.replace(/[^\w.-]+/g, "_") || "chart"}.${ending}`;

/** What a cell of a CSV file needs so that it is read back as one cell. */
export function cell(value: unknown): string {
  if (value === null || value === undefined) return "";
  const text = typeof value === "object" ? JSON.stringify(value) : String(value);
  return /[",\r\n]/.test(text) ? `"${text.replace(/"/g, '""')}"` : text;
}
export const csvOf = (rows: readonly (readonly unknown[])[]): string => rows.map((row) => row.map(cell).join(",")).join("\r\n") + "\r\n";

/** One line a point: which curve, where, its value. */
export function curvesCsv(curves: readonly Drawn[], xKind: XKind): string {
  const rows: unknown[][] = [["curve", xKind, "value", "low", "high"]];
  for (const { label, x, y, low, high } of curves) x.forEach((at, i) => rows.push([label, at, y[i], low?.[i], high?.[i]]));
  return csvOf(rows);
}

/** The canvas with a title above and the names of the curves below, on the page's background. */
export function savePng(canvas: HTMLCanvasElement, title: string, curves: readonly Drawn[]): void {
  const ratio = canvas.width / (canvas.clientWidth || canvas.width);
  const shown = curves.filter((curve) => !curve.hidden);
  const rowHeight = 18 * ratio;
  const out = document.createElement("canvas");
  out.width = canvas.width;
  out.height = canvas.height + 30 * ratio + (shown.length > 1 ? shown.length * rowHeight + 6 * ratio : 0);
  const ctx = out.getContext("2d")!;
  const font = (size: number, weight = 400) => `${weight} ${size * ratio}px system-ui, "Segoe UI", "DejaVu Sans", sans-serif`;
  ctx.fillStyle = themeColor("--bg");
  ctx.fillRect(0, 0, out.width, out.height);
  ctx.fillStyle = themeColor("--text");
  ctx.font = font(13, 600);
  ctx.fillText(title, 10 * ratio, 20 * ratio);
  ctx.drawImage(canvas, 0, 28 * ratio);
  ctx.font = font(11);
  if (shown.length > 1) {
    shown.forEach((curve, at) => {
      const y = canvas.height + 28 * ratio + (at + 1) * rowHeight;
      ctx.fillStyle = resolved(curve.color);
      ctx.fillRect(12 * ratio, y - 5 * ratio, 14 * ratio, 3 * ratio);
      ctx.fillStyle = themeColor("--text");
      ctx.fillText(curve.label, 32 * ratio, y);
    });
  }
  out.toBlob((blob) => blob && download(blob, fileName(title, "png")));
}
