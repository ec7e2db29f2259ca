// The last value of each metric, with its range.
import type { Run } from "../../../lib/api";
import { isOdd, number, toNumber } from "../../../lib/format";
import { runPath } from "../../../lib/route";
import { isOver, Link, Problem } from "../../../ui/base";
import { isCurve } from "../metrics/names";
import { useSummaries } from "../metrics/summaries";

const MOST = 16;
const text = (value: unknown) => (isOdd(value) ? number(toNumber(value)) : number(value));

export function Headlines({ run }: { run: Run }) {
  const { data, error, reload } = useSummaries(run);
  if (error && !data) return <Problem error={error} retry={reload} />;
  const metrics = (data?.items ?? []).filter(isCurve);
  const others = (data?.items.length ?? 0) - metrics.length;
  return (
    <section className="card" aria-labelledby="headlines-title">
      <header className="row">
        <h2 id="headlines-title">Metrics</h2>
        <Link href={runPath(run.id, "metrics")} className="overview-more">
          {data && data.items.length > 0 ? `All ${data.items.length}, with curves` : "Metrics"}
        </Link>
      </header>
      {!data ? (
        <p className="note">Loading …</p>
      ) : metrics.length === 0 ? (
        <p className="note">{others > 0 ? "Only tables and images so far." : isOver(run.status) ? "This run logged none." : "None yet."}</p>
      ) : (
        <ul className="headlines">
          {metrics.slice(0, MOST).map((metric) => (
            <li key={metric.name}>
              <Link href={`${runPath(run.id, "metrics")}?q=${encodeURIComponent(`/^${metric.name.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")}$/`)}`}>{metric.name}</Link>
              <strong title={String(metric.last)} className={isOdd(metric.last) ? "odd" : undefined}>
                {text(metric.last)}
              </strong>
              {metric.odd && <span className="odd">NaN or infinite from step {metric.odd.step}</span>}
              <span className="note" title={`${metric.min} … ${metric.max}`}>
                {text(metric.min)} … {text(metric.max)}
              </span>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}
