// How the axes of a chart are labelled.
import type { XKind } from "./curve";
import { bytes } from "../../lib/format";

const two = (n: number): string => String(Math.floor(n)).padStart(2, "0");

function clock(seconds: number, step: number): string {
  const at = new Date(seconds * 1000);
  if (step >= 86400) return `${two(at.getMonth() + 1)}-${two(at.getDate())}`;
  const minutes = `${two(at.getHours())}:${two(at.getMinutes())}`;
  return step >= 60 ? minutes : `${minutes}:${two(at.getSeconds())}`;
}

function span(seconds: number, step: number): string {
  if (step >= 86400) return `${Math.round(seconds / 86400)} d`;
  if (step >= 3600) return `${Math.round(seconds / 3600)} h`;
  if (step >= 60) return seconds >= 3600 ? `${Math.floor(seconds / 3600)}:${two((seconds / 60) % 60)} h` : `${Math.round(seconds / 60)} min`;
  if (seconds >= 60) return `${Math.floor(seconds / 60)}:${two(seconds % 60)}`;
  return `${Number(seconds.toPrecision(3))} s`;
}

/** Plain digits as far as they are short, else with an exponent; as many decimals as the step needs. */
export function tick(value: number, step: number): string {
  const size = Math.abs(value);
  if (size < step / 1e3) return "0";
  if (size >= 1e6 || (size < 1e-3 && step < 1e-3)) {
    const digits = Math.max(0, Math.min(6, Math.ceil(Math.log10(size / step) - 1e-9) + 1));
    return value.toExponential(digits).replace(/\.?0+e/, "e").replace("e+", "e");
  }
  // One more than the step's first digit, since steps of 2.5 have two.
  const decimals = Math.max(0, Math.min(9, 1 - Math.floor(Math.log10(step) + 1e-9)));
  const text = value.toFixed(decimals);
  return text.includes(".") ? text.replace(/\.?0+$/, "") : text;
}

export function xLabels(kind: XKind, splits: readonly number[], step: number): string[] {
  if (kind === "time") return splits.map((value) => clock(value, step));
  if (kind === "relative") return splits.map((value) => span(value, step));
  return splits.map((value) => tick(value, step));
}

/** In the unit of its size, with as many decimals as the step needs. */
function byteTick(value: number, step: number): string {
  const power = Math.max(0, Math.min(4, Math.floor(Math.log10(Math.max(1, Math.abs(value))) / 3 + 1e-9)));
  return `${tick(value / 1000 ** power, step / 1000 ** power)} ${["B", "KB", "MB", "GB", "TB"][power]}`;
}

export type Unit = "percent" | "bytes" | "bytes/s" | "celsius" | "watts" | "ms" | "1/s";
export function yLabel(value: number, step: number, unit?: Unit): string {
  if (unit === "percent") return `${tick(value, step)} %`;
  if (unit === "bytes") return byteTick(value, step);
  if (unit === "bytes/s") return `${byteTick(value, step)}/s`;
  if (unit === "celsius") return `${tick(value, step)} °C`;
  if (unit === "watts") return `${tick(value, step)} W`;
  if (unit === "ms") return `${tick(value, step)} ms`;
  return tick(value, step);
}

const SECOND_STEPS = [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800];
export const RELATIVE_STEPS = [
  ...SECOND_STEPS,
  ...[1, 2, 3, 6, 12, 24, 48, 120, 240, 480, 1200, 2400, 7200].map((hours) => hours * 3600),
];

// Made once: a new one for every place of the cursor is slow.
const moments = new Intl.DateTimeFormat("sv-SE", { dateStyle: "short", timeStyle: "medium" });
const clockText = (seconds: number): string => moments.format(seconds * 1000);

/** Where the cursor is, in words. */
export function xText(kind: XKind, x: number): string {
  if (kind === "time") return clockText(x);
  if (kind === "relative") return x < 60 ? `${Number(x.toPrecision(4))} s` : span(x, 1);
  return `${kind === "metric" ? "at" : kind} ${Number(x.toPrecision(9))}`;
}

/** Nothing rounded away. */
export function exact(value: number | null | undefined, unit?: Unit): string {
  if (value === null || value === undefined) return "–";
  if (unit === "bytes" || unit === "bytes/s") return `${bytes(value)}${unit === "bytes" ? "" : "/s"}`;
  return unit ? yLabel(value, 0.01, unit) : String(value);
}
