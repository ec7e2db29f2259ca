// Every metric as one chart with the curves of all runs.
import { memo, useCallback, useEffect, useMemo, useState, useSyncExternalStore } from "react";
import { useLive } from "../../lib/live";
import { useSearch } from "../../lib/route";
import { Button, isOver, Problem } from "../../ui/base";
import { Chart, type Curve, type XKind } from "../../ui/chart";
import { ChartGroup } from "../../ui/chart/group";
import { useNear } from "../../lib/near";
import { mappingOf, serverRange, sorted, xOf, type Axis } from "../run/metrics/series";
import { settingsOf, type MetricSettings } from "../run/metrics/settings";
import type { CurveStore } from "../run/metrics/store";
import { useCurveStores } from "./curve_stores";
import type { ComparedRun } from "./comparison";

const FIRST = 6;
const TOGETHER = 60;
type Stores = ReadonlyMap<string, CurveStore>;

interface Shared {
  stores: Stores;
  group: ChartGroup;
  smoothing: number;
  settings: MetricSettings;
}

function axisOf(run: ComparedRun, store: CurveStore, kind: XKind): Axis {
  const axis: Axis = { kind, start: Date.parse(run.row.started_at ?? run.row.created_at) / 1000 };
  const epochs = kind === "epoch" ? store.series("epoch") : undefined;
  if (epochs) axis.epochs = mappingOf(epochs);
  return axis;
}

function curveOf(run: ComparedRun, store: CurveStore, name: string, kind: XKind): Curve[] {
  const found = store.series(name);
  if (!found) return [];
  const series = sorted(found, kind === "time" || kind === "relative" ? "times" : "steps");
  const curve: Curve = { id: run.id, label: run.label, color: run.color, dashed: run.dashed, x: xOf(series, axisOf(run, store, kind)), y: series.values };
  if (series.lows) [curve.low, curve.high] = [series.lows, series.highs!];
  const last = run.row.metrics[name];
  if (typeof last === "number" && isOver(run.row.status)) curve.last = last;
  return [curve];
}

function Filled({ name, runs, shared }: { name: string; runs: ComparedRun[]; shared: Shared }) {
  const { stores, group, settings } = shared;
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
  const version = useSyncExternalStore(subscribe, () => runs.map((run) => stores.get(run.id)?.version([name, "epoch"])).join(" "));
  const look = runs.map((run) => `${run.id} ${run.label} ${run.color}`).join("\n");
  const curves = useMemo(
    () => runs.flatMap((run) => (stores.get(run.id) ? curveOf(run, stores.get(run.id)!, name, settings.x) : [])),
    [version, look, stores, name, settings.x],
  );
  const single = curves.length > 0 && curves.every((curve) => curve.x.length === 1);
  const failed = runs.find((run) => stores.get(run.id)?.error(name));
  return (
    <>
      {failed && <Problem error={stores.get(failed.id)!.error(name)!} retry={() => stores.get(failed.id)!.retry(name)} />}
      <Chart title={name} note={single ? "One value a run; the table has them side by side." : undefined} curves={curves} xKind={settings.x} logY={settings.log} smoothing={shared.smoothing} group={group} height={230} />
    </>
  );
}

const MetricChart = memo(function MetricChart({ name, runs, shared }: { name: string; runs: ComparedRun[]; shared: Shared }) {
  const { stores, settings } = shared;
  const ids = runs.map((run) => run.id).join(",");
  const want = useCallback(() => {
    const names = settings.x === "epoch" && name !== "epoch" ? [name, "epoch"] : [name];
    const leave = ids.split(",").map((id) => stores.get(id)?.want(names));
    return () => leave.forEach((one) => one?.());
  }, [stores, ids, name, settings.x]);
  const [box, was] = useNear(want);
  return (
    <div ref={box} className="compare-chart">
      {was && <Filled name={name} runs={runs} shared={shared} />}
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

export function Curves({ runs }: { runs: ComparedRun[] }) {
  const [search, change] = useSearch();
  const text = search.toString();
  const settings = useMemo(() => settingsOf(new URLSearchParams(text)), [text]);
  const [smoothing, setSmoothing] = useState(settings.smoothing);
  const [group] = useState(() => new ChartGroup(settings.range));
  const stores = useCurveStores(runs.map((run) => run.id));
  const names = namesOf(runs, settings.filter);
  const [from, to] = settings.range ?? [null, null];

  useEffect(() => {
    group.onSettled = (range) => change({ from: range ? String(range[0]) : null, to: range ? String(range[1]) : null });
  }, [group, change]);
  useEffect(() => {
    group.set(settings.range);
    for (const run of runs) {
      const store = stores.get(run.id);
      store?.zoom(settings.range ? serverRange(settings.range, axisOf(run, store, settings.x)) : null);
    }
  }, [group, from, to, stores, settings.x]);
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

  const shared = useMemo<Shared>(() => ({ stores, group, smoothing, settings }), [stores, group, smoothing, settings]);
  const epoch = runs.some((run) => "epoch" in run.row.metrics);
  return (
    <>
      <div className="compare-controls" role="group" aria-label="How the curves are shown">
        <input type="search" aria-label="Filter metrics by name" placeholder="Filter by name" value={settings.filter} onChange={(event) => change({ q: event.target.value })} />
        <label>
          x{" "}
          <select value={settings.x} onChange={(event) => change({ x: event.target.value === "step" ? null : event.target.value, from: null, to: null })}>
            <option value="step">step</option>
            <option value="time">time</option>
            <option value="relative">time since the start</option>
            {(epoch || settings.x === "epoch") && <option value="epoch">epoch</option>}
          </select>
        </label>
        <label className="row">
          Smoothing <input type="range" min={0} max={0.99} step={0.01} value={smoothing} onChange={(event) => setSmoothing(Number(event.target.value))} />
          <output>{smoothing.toFixed(2)}</output>
        </label>
        <label>
          <input type="checkbox" checked={settings.log} onChange={(event) => change({ log: event.target.checked ? "1" : null })} /> log scale
        </label>
        {settings.range && (
          <Button small onClick={() => change({ from: null, to: null })}>
            Show all of x
          </Button>
        )}
      </div>
      {names.length === 0 && <p className="note">{settings.filter ? "No metric has this name." : "These runs have no metrics yet."}</p>}
      <div className="compare-charts">
        {names.map((name) => (
          <MetricChart key={name} name={name} runs={runs.filter((run) => name in run.row.metrics)} shared={shared} />
        ))}
      </div>
      {runs.map((run) => {
        const store = stores.get(run.id);
        return store && !isOver(run.row.status) && <Points key={run.id} id={run.id} store={store} names={Object.keys(run.row.metrics)} />;
      })}
    </>
  );
}
