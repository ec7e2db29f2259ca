// Metrics that are not curves: tables, images, matrices. Asked for when they come near the screen.
import { useEffect, useState } from "react";
import { api, apiUrl, segment, segments, type ApiError, type Schemas } from "../../../lib/api";
import { Button, Loading, Problem } from "../../../ui/base";
import { download, fileName } from "../../../ui/chart/save";
import { notify } from "../../../ui/notify";
import { AccuracyTable } from "./accuracy_table";
import { ConfusionMatrix } from "./confusion_matrix";
import { metricsCsv } from "./csv";
import type { Summary } from "./names";
import { useNear } from "../../../lib/near";
import { AnyValue, DataTable, tableOf } from "./value_table";

type Points = Schemas["MetricPoints"];
type Point = Points["points"][number];
const SHOWN = 500;

function Image({ run, point }: { run: string; point: Point }) {
  const path = (point.value as { path?: string } | null)?.path;
  if (!path) return <AnyValue value={point.value} />;
  const url = apiUrl(`/runs/${segment(run)}/artifacts/${segments(path)}`, { show: "inline" });
  return (
    <figure className="metrics-image">
      <a href={url} target="_blank" rel="noreferrer">
        <img src={url} alt={`Image logged as ${path}`} loading="lazy" />
      </a>
      <figcaption className="note">
        {path}
        {point.step !== null && `, step ${point.step}`}
      </figcaption>
    </figure>
  );
}

function Body({ run, metric, points }: { run: string; metric: Summary; points: Point[] }) {
  const last = points[points.length - 1];
  if (!last) return <p className="note">No values.</p>;
  switch (metric.kind) {
    case "image":
      return (
        <div className="metrics-images">
          {points.map((point) => (
            <Image key={point.index} run={run} point={point} />
          ))}
        </div>
      );
    case "confusion_matrix":
      return <ConfusionMatrix value={last.value} />;
    case "accuracy_table":
      return <AccuracyTable value={last.value} />;
    case "row":
      return <DataTable table={tableOf(points.map((point) => ({ step: point.step, ...(point.value as object) })))} />;
    case "scalar":
    case "list":
      return <DataTable table={tableOf(points.map(({ index, step, at, value }) => ({ index, step, time: at, value })))} />;
    default:
      return points.length === 1 ? <AnyValue value={last.value} /> : <>{points.map((point) => <AnyValue key={point.index} value={point.value} />)}</>;
  }
}

export function ObjectMetric({ run, attempt, metric }: { run: string; attempt: number | undefined; metric: Summary }) {
  const [box, near] = useNear();
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
      {found ? <Body run={run} metric={metric} points={found.points} /> : error ? <Problem error={error} retry={() => setAgain(again + 1)} /> : <Loading what={metric.name} />}
    </section>
  );
}
