// Every metric as one chart with the curves of all runs, or of groups of them.
import { memo, useCallback, useEffect, useMemo, useState, useSyncExternalStore } from "react";
import { isOdd, toNumber } from "../../lib/format";
import { useLive } from "../../lib/live";
import { useNear } from "../../lib/near";
import { usePanels, type Panels, type PanelSettings } from "../../lib/panels";
import { useSearch } from "../../lib/route";
import { isOver, Problem } from "../../ui/base";
import { Chart, type Curve } from "../../ui/chart";
import { ChartGroup } from "../../ui/chart/group";
import { Bars, Boxes, type LastValue } from "../../ui/chart/last_values";
import { PanelGrid } from "../../ui/panels/grid";
import { PanelMenu } from "../../ui/panels/menu";
import { curveParts, mappingOf, serverRange, type Axis } from "../run/metrics/series";
import { settingsOf, type MetricSettings } from "../run/metrics/settings";
import type { CurveStore } from "../run/metrics/store";
import type { ComparedRun } from "./comparison";
import { Controls } from "./controls";
import { useCurveStores } from "./curve_stores";
import { groupsOf, meanCurve, type Band } from "./grouping";
import { colorOf } from "./selection";

const FIRST = 6;
const TOGETHER = 60;
const HEIGHT = 230;
type Stores = ReadonlyMap<string, CurveStore>;

interface Shared {
  stores: Stores;
  group: ChartGroup;
  smoothing: number;
  settings: MetricSettings;
  /** By what the runs are grouped; empty: not at all. */
  by: string;
  band: Band;
  panels: Panels;
  /** All charts, to move one among them. */
  names: readonly string[];
}

/** The metric that x is; undefined where it is none. */
const metricOfX = ({ x, xMetric }: MetricSettings): string | undefined => (x === "epoch" ? "epoch" : x === "metric" ? xMetric : undefined);

function axisOf(run: ComparedRun, store: CurveStore, settings: MetricSettings): Axis {
  const axis: Axis = { kind: settings.x, start: Date.parse(run.row.started_at ?? run.row.created_at) / 1000 };
  const other = metricOfX(settings);
  const series = other === undefined ? undefined : store.series(other);
  if (series) axis.epochs = mappingOf(series);
  return axis;
}

function curveOf(run: ComparedRun, store: CurveStore, name: string, settings: MetricSettings): Curve[] {
  const found = store.series(name);
  const axis = axisOf(run, store, settings);
  // A run that lacks what x is has no place in the chart.
  if (!found || (axis.kind === "metric" && !axis.epochs)) return [];
  const { series, x, odd } = curveParts(found, axis, run.row.odd[name]);
  const curve: Curve = { id: run.id, label: run.label, color: run.color, dashed: run.dashed, x, y: series.values };
  if (odd !== undefined) curve.odd = odd;
  if (series.lows) [curve.low, curve.high] = [series.lows, series.highs!];
  // What the run logged last: the curve of a long one ends with the mean of several.
  const last = run.row.metrics[name];
  if (last !== undefined) curve.last = toNumber(last);
  return [curve];
}

function Filled({ name, runs, panel, shared }: ChartProps) {
  const { stores, group, settings, by, band, panels } = shared;
  const subscribe = useCallback(
    (listener: () => void) => {
      // The curves of many runs come in a burst: a chart is drawn for all of them, not once for each.
      let timer: ReturnType<typeof setTimeout> | undefined;
      const soon = () => {
        timer ??= setTimeout(() => {
          timer = undefined;
          listener();
        }, TOGETHER);
      };
      const leave = runs.map((run) => stores.get(run.id)?.subscribe(soon));
      return () => {
        clearTimeout(timer);
        leave.forEach((one) => one?.());
      };
    },
    [runs.map((run) => run.id).join(), stores],
  );
  const other = metricOfX(settings);
  const version = useSyncExternalStore(subscribe, () => runs.map((run) => stores.get(run.id)?.version(other === undefined ? [name] : [name, other])).join(" "));
  const look = runs.map((run) => `${run.id} ${run.label} ${run.color} ${run.row.metrics[name]} ${run.row.odd[name]}`).join("\n");
  const curves = useMemo(() => {
    const of = (run: ComparedRun): Curve[] => (stores.get(run.id) ? curveOf(run, stores.get(run.id)!, name, settings) : []);
    if (by === "") return runs.flatMap(of);
    return groupsOf(runs, by).flatMap(({ title, runs: members }, i) => {
      const own = members.flatMap(of);
      return own.length > 0 ? [meanCurve(title, i, own, band)] : [];
    });
  }, [version, look, stores, name, settings.x, settings.xMetric, by, band]);
  const actions = useMemo(() => <PanelMenu name={name} panels={panels} names={shared.names} log={settings.log} several />, [name, panels, shared.names, settings.log]);
  if (panel.kind) return <LastValues name={name} runs={runs} kind={panel.kind} by={by} height={HEIGHT * (panel.h ?? 1)} actions={actions} />;
  const single = curves.length > 0 && curves.every((curve) => curve.x.length === 1);
  const failed = runs.find((run) => stores.get(run.id)?.error(name));
  const odd = runs.filter((run) => run.row.odd[name] !== undefined || isOdd(run.row.metrics[name]));
  return (
    <>
      {failed && <Problem error={stores.get(failed.id)!.error(name)!} retry={() => stores.get(failed.id)!.retry(name)} />}
      <Chart
        title={name}
        note={odd.length > 0 ? <OddNote name={name} runs={odd} /> : single ? "One value a run; the table has them side by side." : undefined}
        curves={curves}
        xKind={settings.x}
        logY={panel.log ?? settings.log}
        y={panel}
        smoothing={shared.smoothing}
        group={group}
        height={HEIGHT * (panel.h ?? 1)}
        actions={actions}
      />
    </>
  );
}

function OddNote({ name, runs }: { name: string; runs: readonly ComparedRun[] }) {
  const words = runs.map((run) => `${run.label}${run.row.odd[name] === undefined ? "" : ` from step ${run.row.odd[name]}`}`);
  return (
    <strong className="odd" title={`NaN or infinite: ${words.join(", ")}`}>
      NaN: {words.slice(0, 1).join(", ")}
      {words.length > 1 && ` and ${words.length - 1} more`}
    </strong>
  );
}

/** In place of the curves: what each run logged last, or how that is spread in each group. */
function LastValues({ name, runs, kind, by, height, actions }: { name: string; runs: ComparedRun[]; kind: "bars" | "box"; by: string; height: number; actions: React.ReactNode }) {
  const valueOf = (run: ComparedRun): LastValue => ({ id: run.id, label: run.label, color: run.color, value: toNumber(run.row.metrics[name]) });
  if (kind === "bars") return <Bars title={name} values={runs.map(valueOf)} height={height} actions={actions} />;
  const groups = by === "" ? [{ title: "all", runs }] : groupsOf(runs, by);
  return <Boxes title={name} groups={groups.map((group, i) => ({ title: group.title, color: colorOf(i), values: group.runs.map(valueOf) }))} actions={actions} />;
}

interface ChartProps {
  name: string;
  runs: ComparedRun[];
  panel: PanelSettings;
  shared: Shared;
}

const MetricChart = memo(function MetricChart(props: ChartProps) {
  const { name, runs, panel } = props;
  const { stores, settings } = props.shared;
  const ids = runs.map((run) => run.id).join(",");
  const other = metricOfX(settings);
  const want = useCallback(() => {
    const names = other !== undefined && name !== other ? [name, other] : [name];
    const leave = ids.split(",").map((id) => stores.get(id)?.want(names));
    return () => leave.forEach((one) => one?.());
  }, [stores, ids, name, other]);
  const [box, was] = useNear(want);
  return (
    <div ref={box} className="compare-chart" style={{ minHeight: `${(HEIGHT * (panel.h ?? 1) + 66) / 14}rem` }}>
      {was && <Filled {...props} />}
    </div>
  );
});

/** Hears of new points of one run. */
function Points({ id, store, names }: { id: string; store: CurveStore; names: string[] }) {
  useLive(`metrics/${id}`, (event) => {
    if (event.type === "metrics") store.changed(event.items.map((item) => item.name));
    else if (event.type === "reset") store.changed(names);
  });
  return null;
}

/** Names of metrics that some run has: first those of most runs. */
function namesOf(runs: ComparedRun[], filter: string): string[] {
  const found = new Map<string, number>();
  for (const run of runs) for (const name of Object.keys(run.row.metrics)) found.set(name, (found.get(name) ?? 0) + 1);
  return [...found]
    .filter(([name]) => name.toLowerCase().includes(filter.toLowerCase()))
    .sort(([a, one], [b, other]) => other - one || a.localeCompare(b, "en", { numeric: true }))
    .map(([name]) => name);
}

interface Props {
  runs: ComparedRun[];
  /** Where the address keeps which metrics are shown. */
  filterParam?: string;
  /** Whether groups are chosen here. */
  chooseGroup?: boolean;
  /** The least width of a chart in pixels. */
  least?: number;
}

export function Curves({ runs, filterParam = "q", chooseGroup = true, least = 440 }: Props) {
  const [search, change] = useSearch();
  const text = search.toString();
  const settings = useMemo(() => {
    const now = new URLSearchParams(text);
    return { ...settingsOf(now), filter: now.get(filterParam) ?? "" };
  }, [text, filterParam]);
  const [smoothing, setSmoothing] = useState(settings.smoothing);
  const group = useMemo(() => new ChartGroup(settings.range), [settings.x, settings.xMetric]);
  const stores = useCurveStores(runs.map((run) => run.id));
  const panels = usePanels();
  const names = namesOf(runs, settings.filter);
  const nameList = names.join("\n");
  const [from, to] = settings.range ?? [null, null];
  const [by, band] = [search.get("group") ?? "", search.get("band") === "std" ? "std" : ("range" as Band)];

  useEffect(() => {
    group.onSettled = (range) => change({ from: range ? String(range[0]) : null, to: range ? String(range[1]) : null });
  }, [group, change]);
  useEffect(() => {
    group.set(settings.range);
    for (const run of runs) {
      const store = stores.get(run.id);
      store?.zoom(settings.range ? serverRange(settings.range, axisOf(run, store, settings)) : null);
    }
  }, [group, from, to, stores, settings.x, settings.xMetric]);
  // The first charts are asked for together: one request a run, not one a run and chart.
  const first = names.slice(0, FIRST).join("\n");
  useEffect(() => {
    const leave = runs.map((run) => stores.get(run.id)?.want(first.split("\n").filter((name) => name in run.row.metrics)));
    return () => leave.forEach((one) => one?.());
  }, [stores, first]);
  // The address follows once the slider rests.
  useEffect(() => {
    const timer = setTimeout(() => smoothing !== settings.smoothing && change({ smooth: smoothing > 0 ? String(smoothing) : null }), 250);
    return () => clearTimeout(timer);
  }, [smoothing]);

  const shared = useMemo<Shared>(
    () => ({ stores, group, smoothing, settings, by, band, panels, names: nameList.split("\n") }),
    [stores, group, smoothing, settings, by, band, panels, nameList],
  );
  return (
    <>
      <Controls runs={runs} settings={settings} names={namesOf(runs, "")} smoothing={smoothing} onSmoothing={setSmoothing} filterParam={filterParam} chooseGroup={chooseGroup} />
      {names.length === 0 && <p className="note">{settings.filter ? "No metric has this name." : "These runs have no metrics yet."}</p>}
      <PanelGrid names={names} panels={panels} least={least}>
        {(name) => <MetricChart name={name} runs={runs.filter((run) => name in run.row.metrics)} panel={panels.of(name)} shared={shared} />}
      </PanelGrid>
      {runs.map((run) => {
        const store = stores.get(run.id);
        return store && !isOver(run.row.status) && <Points key={run.id} id={run.id} store={store} names={Object.keys(run.row.metrics)} />;
      })}
    </>
  );
}
