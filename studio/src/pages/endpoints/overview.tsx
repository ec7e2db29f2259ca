// How an endpoint is: its error or what it is doing, its traffic, its curves, its deployments and their replicas.
import { useMemo } from "react";
import type { Endpoint, Statistics } from "../../lib/endpoint";
import type { Resource } from "../../lib/resource";
import { Loading, Problem, Time } from "../../ui/base";
import { Chart } from "../../ui/chart";
import { ChartGroup } from "../../ui/chart/group";
import { Deployments } from "./deployments";
import { chartsOf, errorsText, milliseconds, problemsOf, rate, totalsOf } from "./facts";
import { TrafficPanel } from "./traffic_panel";

interface Props {
  endpoint: Endpoint;
  statistics: Resource<Statistics>;
  onEndpoint: (endpoint: Endpoint) => void;
}

function Problems({ endpoint }: { endpoint: Endpoint }) {
  const problems = problemsOf(endpoint);
  if (problems.length === 0) return null;
  return (
    <div className="endpoint-problems" role="alert">
      {problems.map(({ where, code, message, details }) => (
        <div key={where + message}>
          <strong>
            {where && `${where}: `}
            {code}
          </strong>
          <p>{message}</p>
          {details.length > 0 && <pre tabIndex={0} role="region" aria-label={`Details of ${code}`}>{details.join("\n")}</pre>}
        </div>
      ))}
    </div>
  );
}

/** The steps of the operation that is under way, or of the last one. */
function Steps({ endpoint }: { endpoint: Endpoint }) {
  const { steps, state } = endpoint;
  if (steps.length === 0) return null;
  const under = state === "Transitioning";
  return (
    <details className="endpoint-steps" open={under || state === "Failed" || state === "Unschedulable"}>
      <summary>
        {under ? "Under way" : "Last steps"}: {steps[steps.length - 1]!.text}
      </summary>
      <ol aria-live={under ? "polite" : "off"}>
        {steps.map((step, i) => (
          <li key={i}>
            <span className="note">
              <Time at={step.at} />
            </span>{" "}
            {step.text}
          </li>
        ))}
      </ol>
    </details>
  );
}

function Numbers({ statistics }: { statistics: Statistics }) {
  const totals = totalsOf(statistics);
  const now = (of: "in_flight" | "waiting") => statistics.deployments.reduce((sum, one) => sum + one[of], 0);
  const facts: [string, string, boolean?][] = [
    ["Requests/s", rate(totals.requestsPerSecond)],
    ["p50", milliseconds(totals.p50)],
    ["p99", milliseconds(totals.p99)],
    ["Requests", totals.requests.toLocaleString("en-US")],
    ["Errors", errorsText(totals), totals.errors > 0],
    ["Under way", String(now("in_flight"))],
    ["Waiting", String(now("waiting"))],
  ];
  return (
    <dl className="endpoint-numbers">
      {facts.map(([name, value, bad]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd className={bad ? "endpoints-bad" : ""}>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

export function OverviewTab({ endpoint, statistics, onEndpoint }: Props) {
  const names = useMemo(() => endpoint.deployments.map((one) => one.name), [endpoint.deployments.map((one) => one.name).join(" ")]);
  const charts = useMemo(() => (statistics.data ? chartsOf(statistics.data, names) : []), [statistics.data, names]);
  const drawn = statistics.data?.deployments.some((one) => one.points.some((point) => point.requests_per_second > 0) || one.requests > 0);
  const group = useMemo(() => new ChartGroup(), []);
  return (
    <div className="endpoint-overview">
      <Problems endpoint={endpoint} />
      <Steps endpoint={endpoint} />
      {statistics.error && <Problem error={statistics.error} retry={statistics.reload} />}
      {statistics.data && !statistics.data.front.up && (
        <p className="problem" role="alert">
          The front, which takes the requests, is not up. The server starts it again by itself; its log is in the data folder below serving/.
        </p>
      )}
      {statistics.data && <Numbers statistics={statistics.data} />}
      {statistics.loading && <Loading what="the numbers" />}
      {statistics.data && !drawn && <p className="note">No request yet: the curves of requests, latency and errors begin with the first.</p>}
      <div className="endpoint-charts">
        {drawn && charts.map(({ title, unit, curves }) => (
          <Chart key={title} title={title} unit={unit} curves={curves} xKind="time" group={group} height={150} note="last 5 min" />
        ))}
      </div>
      <TrafficPanel endpoint={endpoint} names={names} statistics={statistics.data} onEndpoint={onEndpoint} />
      <Deployments endpoint={endpoint} names={names} statistics={statistics.data} onEndpoint={onEndpoint} />
    </div>
  );
}
