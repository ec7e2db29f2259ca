// The stages of a run as a bar, and the same as a table.
import { api, segment, type Run, type Schemas } from "../../../lib/api";
import { duration, fullTime } from "../../../lib/format";
import { useKept, useResource } from "../../../lib/resource";
import { isOver, Loading, Problem, Status } from "../../../ui/base";
import { useNow } from "../now";
import { attemptsOf, widths, type Attempt } from "./stages";

function Bar({ attempt, named }: { attempt: Attempt; named: boolean }) {
  const wide = widths(attempt.stages);
  return (
    <div className="stages-line">
      {named && <span className="note">attempt {attempt.attempt}</span>}
      <div className="stages-bar" aria-hidden="true">
        {attempt.stages.map((stage, i) => (
          <div key={i} className={`stage stage-${stage.status} ${stage.to === null ? "now" : ""}`} style={{ width: `${wide[i]}%` }} title={`${stage.status}: ${duration(stage.seconds)}`}>
            {wide[i]! > 9 && (
              <span>
                {stage.status} <b>{duration(stage.seconds)}</b>
              </span>
            )}
          </div>
        ))}
      </div>
    </div>
  );
}

export function Timeline({ run }: { run: Run }) {
  const { data, error, reload } = useResource(`events/${run.id}/${run.status}/${run.attempt}`, () =>
    api.get<Schemas["RunEventList"]>(`/runs/${segment(run.id)}/events`),
  );
  const kept = useKept(data);
  const now = useNow(!isOver(run.status));
  if (!kept) return error ? <Problem error={error} retry={reload} /> : <Loading what="stages" />;
  const attempts = attemptsOf(kept.items, now);
  const several = attempts.length > 1;
  return (
    <section className="card" aria-labelledby="stages-title">
      <h2 id="stages-title">Stages</h2>
      {attempts.map((attempt) => (
        <Bar key={attempt.attempt} attempt={attempt} named={several} />
      ))}
      <div className="scroll" tabIndex={0} role="region" aria-label="Stages in full">
        <table className="stages-table">
          <thead>
            <tr>
              {several && <th scope="col">Attempt</th>}
              <th scope="col">Stage</th>
              <th scope="col" className="number">
                Took
              </th>
              <th scope="col">From</th>
              <th scope="col">Why</th>
            </tr>
          </thead>
          <tbody>
            {attempts.map((attempt) => [
              ...attempt.stages.map((stage, i) => (
                <tr key={`${attempt.attempt}-${i}`}>
                  {several && <td>{attempt.attempt}</td>}
                  <th scope="row">
                    <i className={`stage-mark stage-${stage.status}`} aria-hidden="true" /> {stage.status}
                    {stage.to === null && <span className="note"> now</span>}
                  </th>
                  <td className="number">{duration(stage.seconds)}</td>
                  <td className="stages-when">{fullTime(stage.from)}</td>
                  <td>{stage.reason}</td>
                </tr>
              )),
              attempt.end !== null && (
                <tr key={`${attempt.attempt}-end`}>
                  {several && <td>{attempt.attempt}</td>}
                  <th scope="row">{attempt.end === "tried again" ? "Tried again" : <Status status={attempt.end} />}</th>
                  <td className="number">{duration(attempt.seconds)} in all</td>
                  <td />
                  <td>{attempt.endReason}</td>
                </tr>
              ),
            ])}
          </tbody>
        </table>
      </div>
    </section>
  );
}
