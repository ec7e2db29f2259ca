// Metrics that are not curves: tables, images, matrices. Asked for when they come near the screen.
import { useEffect, useState } from "react";
import { api, segment, segments, type ApiError, type Schemas } from "../../../lib/api";
import { Button, Loading, Problem } from "../../../ui/base";
import { download, fileName } from "../../../ui/chart/save";
import { notify } from "../../../ui/notify";
import { AccuracyTable } from "./accuracy_table";
import { ConfusionMatrix } from "./confusion_matrix";
import { metricsCsv } from "./csv";
import { ImageSeries, StepSlider } from "./image_steps";
import type { Summary } from "./names";
import { useNear } from "../../../lib/near";
import { AnyValue, DataTable, tableOf } from "./value_table";

type Points = Schemas["MetricPoints"];
type Point = Points["points"][number];
const SHOWN = 500;

/** Values that belong to steps, one at a time. */
function ByStep({ name, kind, points }: { name: string; kind: Summary["kind"]; points: Point[] }) {
  const [chosen, setChosen] = useState<number>();
  const at = chosen === undefined ? points.length - 1 : Math.min(chosen, points.length - 1);
  return (
    <>
      {points.length > 1 && <StepSlider label={`Which value of ${name}`} steps={points.map((point) => point.step ?? point.index)} value={points[at]!.step ?? points[at]!.index} onChange={(step) => setChosen(points.findIndex((point) => (point.step ?? point.index) === step))} />}
      <OneValue kind={kind} value={points[at]!.value} />
    </>
  );
}

function OneValue({ kind, value }: { kind: Summary["kind"]; value: unknown }) {
  if (kind === "confusion_matrix") return <ConfusionMatrix value={value} />;
  if (kind === "accuracy_table") return <AccuracyTable value={value} />;
  return <AnyValue value={value} />;
}

/** What a metric has logged, drawn as what it is. */
export function MetricBody({ run, metric, points }: { run: string; metric: Pick<Summary, "name" | "kind">; points: Point[] }) {
  const last = points[points.length - 1];
  if (!last) return <p className="note">No values.</p>;
  switch (metric.kind) {
    case "image":
      return <ImageSeries run={run} name={metric.name} points={points} />;
    case "row":
      return <DataTable table={tableOf(points.map((point) => ({ step: point.step, ...(point.value as object) })))} />;
    case "scalar":
    case "list":
      return <DataTable table={tableOf(points.map(({ index, step, at, value }) => ({ index, step, time: at, value })))} />;
    default:
      return <ByStep name={metric.name} kind={metric.kind} points={points} />;
  }
}

/** The newest values of a metric. */
export function useMetricPoints(run: string, attempt: number | undefined, metric: Pick<Summary, "name" | "count">, near: boolean) {
  const [found, setFound] = useState<Points>();
  const [error, setError] = useState<ApiError>();
  const [again, setAgain] = useState(0);
  useEffect(() => {
    if (!near) return;
    const stop = new AbortController();
    api
      .get<Points>(`/runs/${segment(run)}/metrics/${segments(metric.name)}`, { attempt, from_index: Math.max(0, metric.count - SHOWN), limit: SHOWN }, stop.signal)
      .then((points) => (setFound(points), setError(undefined)), (problem: ApiError) => !stop.signal.aborted && setError(problem));
    return () => stop.abort();
  }, [near, run, attempt, metric.name, metric.count, again]);
  return { found, error, retry: () => setAgain(again + 1) };
}

export function ObjectMetric({ run, attempt, metric }: { run: string; attempt: number | undefined; metric: Summary }) {
  const [box, near] = useNear();
  const { found, error, retry } = useMetricPoints(run, attempt, metric, near);
  const save = () =>
    metricsCsv(run, [metric.name], attempt).then(
      (text) => download(new Blob([text], { type: "text/csv" }), fileName(metric.name, "csv")),
      (problem: Error) => notify(problem.message, true),
    );
  return (
    <section ref={box} className={`card metrics-object metrics-${metric.kind}`} aria-label={metric.name}>
      <header className="row">
        <h3>{metric.name}</h3> <span className="tag">{metric.kind.replace("_", " ")}</span>
        {metric.count > SHOWN && <span className="note">the last {SHOWN} of {metric.count}</span>}
        <Button kind="quiet" small className="metrics-save" aria-label={`Save ${metric.name} as CSV`} onClick={() => void save()}>
          CSV
        </Button>
      </header>
      {found ? <MetricBody run={run} metric={metric} points={found.points} /> : error ? <Problem error={error} retry={retry} /> : <Loading what={metric.name} />}
    </section>
  );
}
