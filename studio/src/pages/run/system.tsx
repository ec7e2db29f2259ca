// What the nodes of a run were doing: processor, memory, disk, network, GPUs.
import { useEffect, useMemo } from "react";
import { api, segment, type Schemas } from "../../lib/api";
import { useResource } from "../../lib/resource";
import { useSearch } from "../../lib/route";
import { Empty, isOver, Loading, Problem } from "../../ui/base";
import { Chart, type Curve, type XKind } from "../../ui/chart";
import { ChartGroup } from "../../ui/chart/group";
import type { TabProps } from "../run";
import { panelsOf, type Panel } from "./system/panels";
import "./system/system.css";

const EVERY = 5000;

export default function SystemTab({ run }: TabProps) {
  const [search, change] = useSearch();
  const each = search.get("panels") === "node";
  const x: XKind = search.get("x") === "time" ? "time" : "relative";
  const over = isOver(run.status);
  const { data, error, loading, reload } = useResource(`system/${run.id}`, () =>
    api.get<Schemas["SystemMetrics"]>(`/runs/${segment(run.id)}/system-metrics`, { buckets: 1000 }),
  );
  useEffect(() => {
    if (over) return;
    const timer = setInterval(() => document.visibilityState === "visible" && reload(), EVERY);
    return () => {
      clearInterval(timer);
    };
  }, [over, reload]);
  const group = useMemo(() => new ChartGroup(), [x]);
  const start = Date.parse(run.started_at ?? run.created_at) / 1000;
  const panels = useMemo(() => panelsOf(data?.series ?? [], each, x === "relative" ? start : 0), [data, each, x, start]);

  if (loading) return <Loading what="the use of the nodes" />;
  if (!data) return error ? <Problem error={error} retry={reload} /> : null;
  if (panels.length === 0) {
    return (
      <Empty title={over ? "Nothing was measured" : "Nothing measured yet"}>
        <p>{over ? "The run was over before its node was looked at for the first time." : "A node is looked at every few seconds once the run is on it. This page fills by itself."}</p>
      </Empty>
    );
  }
  const nodes = new Set(data.series.map((series) => series.node)).size;
  return (
    <div>
      <div className="system-toolbar row">
        <label>
          x{" "}
          <select value={x} onChange={(event) => change({ x: event.target.value === "time" ? "time" : null })}>
            <option value="relative">time since the start</option>
            <option value="time">time</option>
          </select>
        </label>
        {nodes > 1 && (
          <label>
            Nodes{" "}
            <select value={each ? "node" : ""} onChange={(event) => change({ panels: event.target.value })}>
              <option value="">together in each chart</option>
              <option value="node">one panel each</option>
            </select>
          </label>
        )}
        <span className="note">
          {nodes} {nodes === 1 ? "node" : "nodes"}
          {!over && ", looked at every 5 s"}
        </span>
      </div>
      {error && <Problem error={error} retry={reload} />}
      {panels.map((panel) => (
        <section key={panel.node} className="system-node" aria-label={panel.node || "All nodes"}>
          {panel.node && <h2>{panel.node}</h2>}
          <div className="system-grid">
            {panel.charts.map((chart) => (
              <SystemChart key={chart.title} chart={chart} x={x} group={group} />
            ))}
          </div>
        </section>
      ))}
    </div>
  );
}

function SystemChart({ chart, x, group }: { chart: Panel["charts"][number]; x: XKind; group: ChartGroup }) {
  const curves: Curve[] = chart.curves;
  return <Chart title={chart.title} curves={curves} xKind={x} group={group} height={150} unit={chart.unit} />;
}
