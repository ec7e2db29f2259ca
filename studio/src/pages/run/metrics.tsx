// The metrics of a run: curves that grow while it runs, and views of everything else it logged.
import { useCallback, useEffect, useMemo, useState, useSyncExternalStore } from "react";
import { onReturn } from "../../lib/live";
import { usePanels } from "../../lib/panels";
import { prefetch } from "../../lib/resource";
import { pathParts } from "../../lib/route";
import { isOver, Empty, Loading, Problem } from "../../ui/base";
import { ChartGroup } from "../../ui/chart/group";
import { PanelGrid } from "../../ui/panels/grid";
import type { TabProps } from "../run";
import { runResource } from "./shared";
import type { ChartSettings } from "./metrics/metric_chart";
import { MetricChart } from "./metrics/metric_chart";
import { isCurve, matcher, sections } from "./metrics/names";
import { ObjectMetric } from "./metrics/object_metric";
import { usePins } from "./metrics/pins";
import { mappingOf, serverRange, type Axis } from "./metrics/series";
import { askAhead, openCurves } from "./metrics/open_curves";
import { bucketsFor, useMetricSettings } from "./metrics/settings";
import type { CurveStore } from "./metrics/store";
import { newestSummaries, useSummaries } from "./metrics/summaries";
import { Toolbar } from "./metrics/toolbar";
import "./metrics/metrics.css";

// Of the first address: the first curves come while the page is being drawn.
const [area, first, tab] = pathParts();
export const opening = area === "runs" && first && tab === "metrics" ? openFirst(first, new URLSearchParams(location.search)) : undefined;

async function openFirst(id: string, search: URLSearchParams): Promise<void> {
  if (search.has("attempt")) return;
  const [run, list] = await Promise.all([prefetch(...runResource(id)), prefetch(...newestSummaries(id))]);
  if (run && list) await askAhead(run, list, search);
}

const EXAMPLE = `from azureml.core import Run
run = Run.get_context()
run.log("train/loss", loss)`;

/** The metric that tells the epoch, if the script logs one. */
const epochMetric = (names: readonly string[]): string | undefined => names.find((name) => /(^|\/)epochs?$/i.test(name));

export default function MetricsTab({ run }: TabProps) {
  const [settings, change] = useMetricSettings();
  const attempt = settings.attempt;
  const newest = attempt === undefined || attempt === run.attempt;
  const store = useMemo(() => openCurves(run, attempt), [run.id, attempt, newest ? run.attempt : 0]);
  useEffect(() => {
    store.resume();
    const leave = onReturn(() => store.heal());
    return () => {
      leave();
      store.stop();
    };
  }, [store]);
  const group = useMemo(() => new ChartGroup(settings.range), [settings.x]);

  const { data, error, loading, reload } = useSummaries(run, attempt, (names) => store.changed(names));
  useMemo(() => store.told(data?.items ?? []), [store, data]);
  const curves = useMemo(() => (data?.items ?? []).filter(isCurve).map((metric) => metric.name), [data]);
  const epoch = epochMetric(curves);
  const axis = useAxis(run, settings.x, settings.x === "metric" ? settings.xMetric : epoch, store);
  useEffect(() => {
    group.set(settings.range);
    store.zoom(settings.range ? serverRange(settings.range, axis) : null);
  }, [settings.range?.[0], settings.range?.[1], axis, store, group]);
  useEffect(() => {
    group.onSettled = (range) => change({ range });
  }, [group, change]);

  const panels = usePanels();
  const [pinned, onPin] = usePins(run);
  const onOverlay = useCallback(
    (name: string) => change({ overlay: (old) => (old.includes(name) ? old.filter((one) => one !== name) : [...old, name]) }),
    [change],
  );
  const [smoothing, setSmoothing] = useState(settings.smoothing);
  useEffect(() => {
    if (smoothing === settings.smoothing) return;
    const timer = setTimeout(() => change({ smoothing }), 300);
    return () => clearTimeout(timer);
  }, [smoothing, settings.smoothing, change]);

  const height = settings.columns === 1 ? 320 : 200;
  const overlay = settings.overlay.join("\n");
  const shared: ChartSettings = useMemo(
    () => ({ run: run.id, attempt, store, group, axis, smoothing, log: settings.log, height, pinned, overlaid: overlay ? overlay.split("\n") : [], onPin, onOverlay }),
    [run.id, attempt, store, group, axis, smoothing, settings.log, height, pinned, overlay, onPin, onOverlay],
  );
  useEffect(() => {
    store.buckets = bucketsFor(settings.columns);
  }, [store, settings.columns]);

  if (loading) return <Loading what="metrics" />;
  if (!data) return error ? <Problem error={error} retry={reload} /> : null;
  if (data.items.length === 0) {
    return (
      <>
        {run.attempt > 1 && <Toolbar settings={settings} change={change} smoothing={smoothing} onSmoothing={setSmoothing} epoch={false} names={[]} attempts={run.attempt} />}
        <Empty title={isOver(run.status) ? "This run logged no metrics" : "No metrics yet"}>
          <p>{isOver(run.status) ? "A script logs them like this:" : "They show here as soon as the script logs them:"}</p>
          <pre>{EXAMPLE}</pre>
        </Empty>
      </>
    );
  }
  const wanted = matcher(settings.filter);
  const shownCurves = curves.filter(wanted);
  const objects = data.items.filter((metric) => !isCurve(metric) && wanted(metric.name));
  const overlaid = settings.overlay.filter((name) => curves.includes(name));
  const least = Math.max(240, Math.floor((window.innerWidth - 60) / settings.columns) - 14);
  return (
    <div className="metrics">
      <Toolbar settings={settings} change={change} smoothing={smoothing} onSmoothing={setSmoothing} epoch={epoch !== undefined} names={curves} attempts={run.attempt} />
      {error && <Problem error={error} retry={reload} />}
      {overlaid.length > 0 && (
        <section aria-label="Overlay" className="metrics-overlay">
          <MetricChart title={`Overlay of ${overlaid.length}`} names={overlaid} among={[]} panel={panels.of(`Overlay of ${overlaid.length}`)} panels={panels} settings={shared} />
        </section>
      )}
      {sections(shownCurves, settings.view, settings.view === "each" ? pinned : []).map((section) => (
        <details key={section.title} className="metrics-section" open>
          <summary>
            <h2>{section.title}</h2> <span className="note">{section.charts.length}</span>
          </summary>
          <PanelGrid names={section.charts.map((chart) => chart.title)} panels={panels} least={least}>
            {(title) => {
              const chart = section.charts.find((one) => one.title === title)!;
              return <MetricChart title={title} names={chart.names} among={section.charts.map((one) => one.title)} panel={panels.of(title)} panels={panels} settings={shared} />;
            }}
          </PanelGrid>
        </details>
      ))}
      {objects.length > 0 && (
        <details className="metrics-section" open>
          <summary>
            <h2>Tables, images and more</h2> <span className="note">{objects.length}</span>
          </summary>
          <div className="metrics-objects">
            {objects.map((metric) => (
              <ObjectMetric key={metric.name} run={run.id} attempt={attempt} metric={metric} />
            ))}
          </div>
        </details>
      )}
      {shownCurves.length + objects.length === 0 && (
        <Empty title="No metric has such a name">
          <p>
            There are {data.items.length} metrics. Words must all be in the name; /…/ is a regular expression.
          </p>
        </Empty>
      )}
    </div>
  );
}

/** `other` is the metric that x is, where x is the epoch or another metric. */
function useAxis(run: TabProps["run"], kind: Axis["kind"], other: string | undefined, store: CurveStore): Axis {
  const start = Date.parse(run.started_at ?? run.created_at) / 1000;
  const mapped = kind === "epoch" || kind === "metric";
  const by = mapped ? other : undefined;
  useEffect(() => (by === undefined ? undefined : store.want([by])), [store, by]);
  const version = useSyncExternalStore(store.subscribe, () => (by === undefined ? "" : store.version([by])));
  return useMemo(() => {
    if (by === undefined) return { kind: mapped ? "step" : kind, start };
    const series = store.series(by);
    return series ? { kind, start, epochs: mappingOf(series) } : { kind: "step", start };
  }, [kind, start, by, version, store]);
}
