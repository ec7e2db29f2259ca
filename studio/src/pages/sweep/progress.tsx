// How far the sweep is, what it does or why it ended, and the best trial.
import { count, number } from "../../lib/format";
import { runPath } from "../../lib/route";
import type { Sweep } from "../../lib/sweep";
import { isOver, Link } from "../../ui/base";
import { limitsText, policyText, samplingText, tried } from "./facts";
import { ENDS, labelOf, textOf } from "./trials";

function Bar({ sweep }: { sweep: Sweep }) {
  const total = Math.max(sweep.spec.max_total_runs, tried(sweep));
  return (
    <div className="sweep-progress" role="progressbar" aria-label="Trials" aria-valuemin={0} aria-valuemax={total} aria-valuenow={tried(sweep)} aria-valuetext={`${tried(sweep)} of ${total} trials made`}>
      {ENDS.map(({ id, color }) => sweep.counts[id] > 0 && <span key={id} style={{ width: `${(100 * sweep.counts[id]) / total}%`, background: `var(${color})` }} />)}
    </div>
  );
}

export function Progress({ sweep }: { sweep: Sweep }) {
  const { best, spec, counts } = sweep;
  const size = sweep.space_size;
  return (
    <section className="card sweep-state" aria-label="Progress">
      <div className="sweep-state-main">
        <p className="sweep-message" role="status">
          {sweep.message}
        </p>
        <Bar sweep={sweep} />
        <ul className="sweep-counts">
          <li>
            <strong>{count(tried(sweep))}</strong> of {count(spec.max_total_runs)}
          </li>
          {ENDS.filter(({ id }) => counts[id] > 0).map(({ id, title, color }) => (
            <li key={id}>
              <span className="sweep-square" style={{ background: `var(${color})` }} aria-hidden="true" /> {count(counts[id])} {title}
            </li>
          ))}
        </ul>
        <dl className="facts">
          <dt>Limits</dt>
          <dd>
            {limitsText(spec)}
            {size !== null && `; the space has ${count(size)} ${size === 1 ? "point" : "points"}`}
          </dd>
          <dt>Sampling</dt>
          <dd>{samplingText(spec)}</dd>
          <dt>Early stopping</dt>
          <dd>{policyText(spec.policy)}</dd>
        </dl>
      </div>
      <div className="sweep-best">
        <h2>
          Best {spec.metric.name} <span className="note">to {spec.metric.goal}</span>
        </h2>
        {best ? (
          <>
            <p className="sweep-best-value" title={String(best.value)}>
              {number(best.value)}
            </p>
            <p>
              <Link href={runPath(best.run)}>Trial #{best.trial}</Link>
            </p>
            <dl className="facts">
              {spec.space.filter(({ name }) => name in best.parameters).map(({ name }) => (
                <div key={name} className="sweep-pair">
                  <dt>{labelOf(name)}</dt>
                  <dd title={textOf(best.parameters[name])}>{typeof best.parameters[name] === "number" ? number(best.parameters[name]) : textOf(best.parameters[name])}</dd>
                </div>
              ))}
            </dl>
          </>
        ) : (
          <p className="note">{isOver(sweep.status) ? `None: no trial logged ${spec.metric.name}.` : "None yet."}</p>
        )}
      </div>
    </section>
  );
}
