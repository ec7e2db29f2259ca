// The value of each trial, and the best that there was by then.
import { useMemo } from "react";
import { number } from "../../lib/format";
import type { Sweep, Trial } from "../../lib/sweep";
import { scaleOf } from "../compare/scale";
import { metricAxis, scaleOfAxis } from "./axes";
import { EndLegend, PointChart, type Point } from "./point_chart";
import { bestSoFar, endOf, ENDS, valueOf } from "./trials";

export function BestSoFar({ sweep, trials }: { sweep: Sweep; trials: readonly Trial[] }) {
  const { metric } = sweep.spec;
  const made = useMemo(() => {
    const valued = trials.filter((trial) => Number.isFinite(valueOf(trial)));
    const ys = scaleOfAxis(metricAxis(metric, valued), 6);
    const xs = scaleOf([0, ...trials.slice(-1).map((trial) => Math.max(1, trial.number))], false, 8);
    const points: Point[] = valued.flatMap((trial) => {
      const [x, y] = [xs.at(trial.number), ys.at(valueOf(trial))];
      return x === undefined || y === undefined ? [] : [{ x, y, end: endOf(trial), trial }];
    });
    const steps = bestSoFar(trials, metric.goal).map((step) => ({ x: xs.at(step.number)!, y: ys.at(step.value)! }));
    return { xs: { ...xs, ticks: xs.ticks.filter((tick) => Number.isInteger(Number(tick.text))) }, ys, points, steps, valued };
  }, [trials, metric.name, metric.goal]);
  const ends = new Map(ENDS.map(({ id, title }) => [id, title]));
  return (
    <section className="card" aria-labelledby="best-title">
      <h2 id="best-title">Best so far</h2>
      <EndLegend trials={made.valued} line="the best until then" />
      <PointChart
        label={`${metric.name} of ${made.points.length} trials; the best was reached in ${made.steps.length} ${made.steps.length === 1 ? "step" : "steps"}. The table of trials has the same values.`}
        {...made}
        xName="trial"
        yName={`${metric.name}, to ${metric.goal}${made.ys.kind === "log" ? " (log)" : ""}`}
        height={300}
        tell={(trial) => `${number(valueOf(trial))}, ${ends.get(endOf(trial))}`}
      />
    </section>
  );
}
