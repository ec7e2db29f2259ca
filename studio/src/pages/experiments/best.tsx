// The best value among the runs of an experiment, of the metric that tells most of it.
import { useCallback, useState } from "react";
import { api, segment, type RunRow, type Schemas } from "../../lib/api";
import { number } from "../../lib/format";
import { useNear } from "../../lib/near";
import { useResource } from "../../lib/resource";
import { runPath } from "../../lib/route";
import { Link } from "../../ui/base";
import { fieldName } from "../runs/query";
import { goalOf, tellingMetrics } from "../runs/usual_columns";
import { experimentQuery } from "./order";

type Experiment = Schemas["Experiment"];
interface Best {
  metric: string;
  goal: "maximize" | "minimize";
  run: RunRow | undefined;
}

/** What says which metric it is, where the guess is wrong: tags of the experiment, named as a sweep names them. */
const METRIC_TAG = "primary_metric";
const GOAL_TAG = "primary_metric_goal";

async function bestOf(experiment: Experiment): Promise<Best | null> {
  const path = `/workspaces/${segment(experiment.workspace)}/run-table`;
  const q = experimentQuery(experiment.name);
  const ask = (more: Record<string, string | string[]>) => api.get<Schemas["RunTable"]>(path, { q, limit: 1, ...more });
  let metric = experiment.tags[METRIC_TAG] ?? undefined;
  if (metric === undefined) {
    const newest = (await ask({ column: ["metrics.*"] })).items[0];
    metric = tellingMetrics(Object.keys(newest?.metrics ?? {}))[0];
  }
  if (metric === undefined) return null;
  const told = experiment.tags[GOAL_TAG];
  const goal = told === "maximize" || told === "minimize" ? told : goalOf(metric);
  const found = await ask({ q: `${q} ${fieldName(`metrics.${metric}`)}`, sort: `${goal === "maximize" ? "-" : ""}metrics.${metric}`, column: [`metrics.${metric}`] });
  return { metric, goal, run: found.items[0] };
}

export function BestMetric({ experiment }: { experiment: Experiment }) {
  const [seen, setSeen] = useState(false);
  const [box] = useNear(useCallback(() => (setSeen(true), () => {}), []));
  const known = useResource(seen && experiment.run_count > 0 ? `best/${experiment.id}/${experiment.run_count}/${experiment.tags[METRIC_TAG]}/${experiment.tags[GOAL_TAG]}` : null, () => bestOf(experiment));
  const best = known.data;
  const value = best?.run?.metrics[best.metric];
  return (
    <div ref={box} className="experiments-best">
      {best && best.run && typeof value === "number" ? (
        <>
          <Link href={runPath(best.run.id)} title={`${value}, of ${best.run.display_name} #${best.run.number}`}>
            {number(value)}
          </Link>{" "}
          <span className="note" title={`to ${best.goal}; the tags ${METRIC_TAG} and ${GOAL_TAG} of the experiment choose another`}>
            {best.metric} {best.goal === "maximize" ? "↑" : "↓"}
          </span>
        </>
      ) : (
        <span className="note">{known.error ? "?" : "–"}</span>
      )}
    </div>
  );
}
