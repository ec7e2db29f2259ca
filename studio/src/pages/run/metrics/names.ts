// Which metrics a page shows, and which of them belong together.
import type { Schemas } from "../../../lib/api";
import { isOdd } from "../../../lib/format";

export type Summary = Schemas["MetricSummary"];
/** each: a chart a metric; group: all with the same first part in one; last: train/loss and val/loss in one. */
export type View = "each" | "group" | "last";

/** Numbers make a curve; everything else has a view of its own. */
export const isCurve = (metric: Summary): boolean =>
  (metric.kind === "scalar" || metric.kind === "list") &&
  (metric.min !== null || typeof metric.last === "number" || isOdd(metric.last));

/** Every word must be in the name; /…/ is a regular expression. */
export function matcher(filter: string): (name: string) => boolean {
  const text = filter.trim();
  if (text.length > 2 && text.startsWith("/") && text.endsWith("/")) {
    try {
      const wanted = new RegExp(text.slice(1, -1), "i");
      return (name) => wanted.test(name);
    } catch {
      return () => true;
    }
  }
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  return (name) => words.every((word) => name.toLowerCase().includes(word));
}

export interface ChartPlan {
  title: string;
  names: string[];
}
export interface Section {
  title: string;
  charts: ChartPlan[];
}

const first = (name: string): string => (name.includes("/") ? name.slice(0, name.indexOf("/")) : "");
const last = (name: string): string => name.slice(name.lastIndexOf("/") + 1);

/** Pinned ones come first; then by the part of the name before "/", where several have it. */
export function sections(names: readonly string[], view: View, pinned: readonly string[]): Section[] {
  const out: Section[] = [];
  const top = pinned.filter((name) => names.includes(name));
  if (top.length > 0) out.push({ title: "Pinned", charts: top.map((name) => ({ title: name, names: [name] })) });
  const groups = new Map<string, string[]>();
  const sizes = new Map<string, number>();
  for (const name of names) sizes.set(first(name), (sizes.get(first(name)) ?? 0) + 1);
  for (const name of names) {
    // One metric alone needs no group of its own.
    const key = view === "last" ? last(name) : sizes.get(first(name)) === 1 ? "" : first(name);
    const group = groups.get(key);
    if (group) group.push(name);
    else groups.set(key, [name]);
  }
  if (view === "each") {
    // Names without a group first, then the groups in the order in which they began.
    const order = [...groups].sort(([a], [b]) => Number(a !== "") - Number(b !== ""));
    for (const [title, members] of order) out.push({ title: title || "Metrics", charts: members.map((name) => ({ title: name, names: [name] })) });
  } else {
    const charts = [...groups].map(([title, members]) => ({ title: members.length === 1 ? members[0]! : title || "Metrics", names: members }));
    out.push({ title: view === "group" ? "By group" : "By last part of the name", charts });
  }
  return out;
}
