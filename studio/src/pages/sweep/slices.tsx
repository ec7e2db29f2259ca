// One small scatter a parameter: its values against the metric.
import { useMemo } from "react";
import { number } from "../../lib/format";
import { useNear } from "../../lib/near";
import type { Trial } from "../../lib/sweep";
import { scaleOfAxis, type SweepAxis } from "./axes";
import { PointChart, told, type Point } from "./point_chart";
import { endOf, valueOf } from "./trials";

const HEIGHT = 210;

/** Points of the same category lie beside one another, each always in the same place. */
const beside = (number: number): number => (((number * 0.618034) % 1) - 0.5) * 0.07;

function Slice({ axis, metric, trials }: { axis: SweepAxis; metric: SweepAxis; trials: readonly Trial[] }) {
  const made = useMemo(() => {
    const [xs, ys] = [scaleOfAxis(axis, 4), scaleOfAxis(metric, 4)];
    const points: Point[] = trials.flatMap((trial, i) => {
      const [x, y] = [xs.at(axis.values[i]), ys.at(metric.values[i])];
      if (x === undefined || y === undefined) return [];
      return [{ x: xs.kind === "category" ? Math.max(0, Math.min(1, x + beside(trial.number))) : x, y, end: endOf(trial), trial }];
    });
    return { xs, ys, points };
  }, [axis, metric, trials]);
  return (
    <PointChart
      label={`${metric.label} against ${axis.label}, ${made.points.length} trials`}
      {...made}
      xName={axis.label}
      height={HEIGHT}
      tell={(trial) => `${axis.label} ${told(axis.values[trials.indexOf(trial)])}: ${number(valueOf(trial))}`}
    />
  );
}

export function Slices({ axes, metric, trials }: { axes: readonly SweepAxis[]; metric: SweepAxis; trials: readonly Trial[] }) {
  const [box, near] = useNear();
  return (
    <section className="card" aria-labelledby="slices-title">
      <h2 id="slices-title">
        {metric.label} by parameter <span className="note">{metric.log ? "log" : ""}</span>
      </h2>
      <div className="sweep-slices" ref={box}>
        {axes.map((axis) => (near ? <Slice key={axis.id} axis={axis} metric={metric} trials={trials} /> : <div key={axis.id} style={{ height: HEIGHT }} />))}
      </div>
    </section>
  );
}
