// How the metrics are shown, kept in the address.
import { useCallback, useMemo } from "react";
import { useSearch } from "../../../lib/route";
import type { Range, XKind } from "../../../ui/chart";
import type { View } from "./names";

export interface MetricSettings {
  x: XKind;
  /** The metric whose values x is, with x "metric". */
  xMetric: string | undefined;
  view: View;
  smoothing: number;
  log: boolean;
  columns: number;
  filter: string;
  overlay: string[];
  attempt: number | undefined;
  range: Range | null;
}
/** `x` is what stands in the address, see `xText`. */
export type Change = Partial<Omit<MetricSettings, "overlay" | "x" | "xMetric">> & { x?: string; overlay?: (old: string[]) => string[] };

const oneOf = <T extends string>(value: string | null, known: readonly T[]): T => known.find((one) => one === value) ?? known[0]!;
const within = (value: string | null, low: number, high: number, other: number): number => {
  const number = Number(value);
  return value !== null && Number.isFinite(number) ? Math.max(low, Math.min(high, number)) : other;
};

const BY_METRIC = "metric:";
/** x as the address and the select have it: its kind, or metric:NAME. */
export const xText = ({ x, xMetric }: Pick<MetricSettings, "x" | "xMetric">): string => (x === "metric" ? BY_METRIC + xMetric : x);

export function settingsOf(search: URLSearchParams): MetricSettings {
  const [from, to] = [Number(search.get("from") ?? NaN), Number(search.get("to") ?? NaN)];
  const attempt = search.get("attempt");
  const x = search.get("x");
  const xMetric = x?.startsWith(BY_METRIC) && x.length > BY_METRIC.length ? x.slice(BY_METRIC.length) : undefined;
  return {
    x: xMetric ? "metric" : oneOf<XKind>(x, ["step", "time", "relative", "epoch"]),
    xMetric,
    view: oneOf<View>(search.get("view"), ["each", "group", "last"]),
    smoothing: within(search.get("smooth"), 0, 0.999, 0),
    log: search.get("log") === "1",
    columns: Math.round(within(search.get("cols"), 1, 4, window.innerWidth < 700 ? 1 : window.innerWidth > 2000 ? 4 : 3)),
    filter: search.get("q") ?? "",
    overlay: search.getAll("with"),
    attempt: attempt !== null && /^\d+$/.test(attempt) ? Number(attempt) : undefined,
    range: from < to ? [from, to] : null,
  };
}

/** How many points of a curve are worth asking for. */
export const bucketsFor = (columns: number): number => Math.max(200, Math.min(2000, Math.round(window.innerWidth / columns)));

export function useMetricSettings(): [MetricSettings, (change: Change) => void] {
  const [search, setSearch] = useSearch();
  const text = search.toString();
  const settings = useMemo(() => settingsOf(new URLSearchParams(text)), [text]);
  const change = useCallback(
    (values: Change) => {
      const next: Record<string, string | null | string[]> = {};
      // A range counts in the x of before.
      if (values.x !== undefined) Object.assign(next, { x: values.x === "step" ? null : values.x, from: null, to: null });
      if (values.view !== undefined) next.view = values.view === "each" ? null : values.view;
      if (values.smoothing !== undefined) next.smooth = values.smoothing > 0 ? String(values.smoothing) : null;
      if (values.log !== undefined) next.log = values.log ? "1" : null;
      if (values.columns !== undefined) next.cols = String(values.columns);
      if (values.filter !== undefined) next.q = values.filter;
      if (values.overlay) next.with = values.overlay(new URLSearchParams(location.search).getAll("with"));
      if ("attempt" in values) next.attempt = values.attempt === undefined ? null : String(values.attempt);
      if ("range" in values) Object.assign(next, { from: values.range ? String(values.range[0]) : null, to: values.range ? String(values.range[1]) : null });
      setSearch(next, true);
    },
    [setSearch],
  );
  return [settings, change];
}
