// Which measurements share a chart, what they are called and in what they count.
import type { Schemas } from "../../../lib/api";
import type { Curve } from "../../../ui/chart";
import type { Unit } from "../../../ui/chart/ticks";

type Series = Schemas["SystemMetrics"]["series"][number];
export interface Panel {
  /** "" when all nodes are in one. */
  node: string;
  charts: { title: string; unit?: Unit; curves: Curve[] }[];
}

interface Kind {
  title: string;
  unit?: Unit;
  /** From what is sent to the unit. */
  factor: number;
  /** Which of the curves of the chart, where there are several. */
  part?: string;
  order: number;
}

const MB = 1e6;
/** What the run's own processes and GPUs used stands before what the whole machine did, whoever used it. */
const KNOWN: Record<string, Kind> = {
  run_cpu_percent: { title: "Run: CPU", unit: "percent", factor: 1, order: 0 },
  run_memory_mb: { title: "Run: memory", unit: "bytes", factor: 1024 * 1024, order: 1 },
  cpu_percent: { title: "Machine: CPU", unit: "percent", factor: 1, order: 4 },
  memory_percent: { title: "Machine: memory", unit: "percent", factor: 1, order: 5 },
  memory_used_mb: { title: "Machine: memory used", unit: "bytes", factor: 1024 * 1024, order: 6 },
  load_1m: { title: "Machine: load (1 min)", factor: 1, order: 11 },
  disk_read_mb_s: { title: "Machine: disk", unit: "bytes/s", factor: MB, part: "read", order: 9 },
  disk_write_mb_s: { title: "Machine: disk", unit: "bytes/s", factor: MB, part: "write", order: 9 },
  disk_free_gb: { title: "Machine: disk free", unit: "bytes", factor: 1e9, order: 12 },
  network_in_mb_s: { title: "Machine: network", unit: "bytes/s", factor: MB, part: "in", order: 10 },
  network_out_mb_s: { title: "Machine: network", unit: "bytes/s", factor: MB, part: "out", order: 10 },
};

export function kindOf(name: string): Kind {
  const known = KNOWN[name];
  if (known) return known;
  const gpu = /^(run_)?gpu(\d+)_(percent|memory_mb)$/.exec(name);
  if (!gpu) return { title: name, factor: 1, order: 13 };
  const [, own, number, what] = gpu;
  const of = own ? "Run" : "Machine";
  if (what === "percent") return { title: `${of}: GPU`, unit: "percent", factor: 1, part: `GPU ${number}`, order: own ? 2 : 7 };
  return { title: `${of}: GPU memory`, unit: "bytes", factor: MB, part: `GPU ${number}`, order: own ? 3 : 8 };
}

const COLORS = ["--c1", "--c2", "--c3", "--c4", "--c5", "--c6", "--c7", "--c8"];

/** `start` is taken from the times, for time since the start. */
export function panelsOf(series: readonly Series[], each: boolean, start: number): Panel[] {
  const panels = new Map<string, Map<string, Panel["charts"][number] & { order: number }>>();
  const several = new Set(series.map((one) => one.node)).size > 1;
  for (const { node, name, points } of series) {
    const kind = kindOf(name);
    const key = each ? node : "";
    let charts = panels.get(key);
    if (!charts) panels.set(key, (charts = new Map()));
    let chart = charts.get(kind.title);
    if (!chart) charts.set(kind.title, (chart = { title: kind.title, unit: kind.unit, curves: [], order: kind.order }));
    const label = [several && !each && node, kind.part].filter(Boolean).join(" ") || kind.title;
    chart.curves.push({
      id: `${node} ${name}`,
      label,
      color: COLORS[chart.curves.length % COLORS.length]!,
      x: points.map((point) => Date.parse(point.at) / 1000 - start),
      y: points.map((point) => point.value * kind.factor),
      dashed: chart.curves.length >= COLORS.length,
    });
  }
  return [...panels].map(([node, charts]) => ({
    node,
    charts: [...charts.values()].sort((a, b) => a.order - b.order || a.title.localeCompare(b.title)).map(({ title, unit, curves }) => ({ title, unit, curves })),
  }));
}
