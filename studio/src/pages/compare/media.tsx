// What runs logged that is no curve, drawn beside one another: tables, images, matrices, histograms.
import { useState } from "react";
import { useNear } from "../../lib/near";
import { useSearch, runPath } from "../../lib/route";
import { Link, Loading, Problem } from "../../ui/base";
import { imageSteps, Images, stepAt, StepSlider } from "../run/metrics/image_steps";
import { isCurve } from "../run/metrics/names";
import { MetricBody, useMetricPoints } from "../run/metrics/object_metric";
import { Swatch } from "./chooser";
import { useDetails } from "./details";
import type { ComparedRun, MetricSummary } from "./comparison";
import "../run/metrics/metrics.css";

interface Logged {
  run: ComparedRun;
  metric: MetricSummary;
}

/** Of each name the runs that logged it, those with most runs first. */
function byName(runs: readonly ComparedRun[], metricsOf: (id: string) => readonly MetricSummary[]): [string, Logged[]][] {
  const found = new Map<string, Logged[]>();
  for (const run of runs) {
    for (const metric of metricsOf(run.id)) {
      if (isCurve(metric)) continue;
      found.set(metric.name, [...(found.get(metric.name) ?? []), { run, metric }]);
    }
  }
  return [...found].sort(([a, one], [b, other]) => other.length - one.length || a.localeCompare(b, "en", { numeric: true }));
}

function One({ logged: { run, metric }, step, onSteps }: { logged: Logged; step: number | undefined; onSteps: (steps: number[]) => void }) {
  const [box, near] = useNear();
  const { found, error, retry } = useMetricPoints(run.id, undefined, metric, near);
  const [told, setTold] = useState<typeof found>();
  if (found && found !== told) {
    setTold(found);
    if (metric.kind === "image") queueMicrotask(() => onSteps(imageSteps(found.points).map((one) => one.step)));
  }
  const steps = metric.kind === "image" && found ? imageSteps(found.points) : undefined;
  return (
    <section ref={box} className="compare-medium" aria-label={`${metric.name} of ${run.label}`}>
      <h3>
        <Swatch run={run} /> <Link href={runPath(run.id, "metrics")}>{run.label}</Link>
        {steps && steps.length > 0 && <span className="note"> step {(step === undefined ? steps[steps.length - 1] : stepAt(steps, step))?.step}</span>}
      </h3>
      {error ? <Problem error={error} retry={retry} /> : !found ? <Loading what={metric.name} /> : steps ? <Images run={run.id} shown={step === undefined ? steps[steps.length - 1] : stepAt(steps, step)} /> : <MetricBody run={run.id} metric={metric} points={found.points} />}
    </section>
  );
}

function Name({ name, logged }: { name: string; logged: Logged[] }) {
  const [steps, setSteps] = useState<number[]>([]);
  const [step, setStep] = useState<number>();
  const add = (more: number[]) => setSteps((old) => [...new Set([...old, ...more])].sort((a, b) => a - b));
  return (
    <section className="compare-media" aria-label={name}>
      <header className="row">
        <h2>{name}</h2> <span className="tag">{logged[0]!.metric.kind.replace("_", " ")}</span>
      </header>
      {steps.length > 1 && <StepSlider label={`Step of ${name}, for all runs`} steps={steps} value={step ?? steps[steps.length - 1]!} onChange={setStep} />}
      <div className="compare-media-row">
        {logged.map((one) => (
          <One key={one.run.id} logged={one} step={step} onSteps={add} />
        ))}
      </div>
    </section>
  );
}

export function Media({ runs }: { runs: ComparedRun[] }) {
  const [search, change] = useSearch();
  const details = useDetails(runs, true);
  const find = search.get("find") ?? "";
  const all = byName(runs, (id) => details.of.get(id)?.metrics ?? []);
  const shown = all.filter(([name]) => name.toLowerCase().includes(find.toLowerCase()));
  if (details.error) return <Problem error={details.error} retry={details.reload} />;
  if (details.loading && all.length === 0) return <Loading what="tables and images" />;
  if (all.length === 0) return <p className="note">These runs logged no tables, images or matrices.</p>;
  return (
    <>
      <div className="compare-controls">
        <input type="search" aria-label="Find by name" placeholder="Find by name" value={find} onChange={(event) => change({ find: event.target.value })} />
      </div>
      {shown.length === 0 && <p className="note">Nothing has this name.</p>}
      {shown.map(([name, logged]) => (
        <Name key={name} name={name} logged={logged} />
      ))}
    </>
  );
}
