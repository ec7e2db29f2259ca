// Images that were logged under one name: one at a time, with a slider where there are several steps.
import { useEffect, useState, type ReactNode } from "react";
import { apiUrl, segment, segments, type Schemas } from "../../../lib/api";

type Point = Schemas["MetricPoints"]["points"][number];
export interface ImageStep {
  /** Of the slider: the step, or the place among all where the script gave none. */
  step: number;
  paths: string[];
}

const pathOf = (point: Point): string | undefined => {
  const path = (point.value as { path?: unknown } | null)?.path;
  return typeof path === "string" && path !== "" ? path : undefined;
};

/** By step; of several at one step all are kept, in the order in which they came. */
export function imageSteps(points: readonly Point[]): ImageStep[] {
  const steps = new Map<number, string[]>();
  for (const point of points) {
    const path = pathOf(point);
    if (path === undefined) continue;
    const step = point.step ?? point.index;
    steps.set(step, [...(steps.get(step) ?? []), path]);
  }
  return [...steps].map(([step, paths]) => ({ step, paths })).sort((a, b) => a.step - b.step);
}

/** The last step that is not after `step`; the first if all are. */
export function stepAt(steps: readonly ImageStep[], step: number): ImageStep | undefined {
  let found = steps[0];
  for (const one of steps) if (one.step <= step) found = one;
  return found;
}

/** A slider over these steps; the arrow keys go from one to the next. */
export function StepSlider({ label, steps, value, onChange }: { label: string; steps: readonly number[]; value: number; onChange: (step: number) => void }) {
  const at = Math.max(0, steps.indexOf(value));
  return (
    <label className="metrics-steps">
      <span className="visually-hidden">{label}</span>
      <input type="range" min={0} max={steps.length - 1} step={1} value={at} aria-valuetext={`step ${steps[at]}`} onChange={(event) => onChange(steps[Number(event.target.value)]!)} />
      <output>
        step {steps[at]} <span className="note">({at + 1} of {steps.length})</span>
      </output>
    </label>
  );
}

export function Images({ run, shown }: { run: string; shown: ImageStep | undefined }): ReactNode {
  if (!shown) return <p className="note">No image.</p>;
  return (
    <div className="metrics-images">
      {shown.paths.map((path) => {
        const url = apiUrl(`/runs/${segment(run)}/artifacts/${segments(path)}`, { show: "inline" });
        return (
          <figure key={path} className="metrics-image">
            <a href={url} target="_blank" rel="noreferrer">
              <img src={url} alt={`Image logged as ${path}`} loading="lazy" />
            </a>
            <figcaption className="note">{path}</figcaption>
          </figure>
        );
      })}
    </div>
  );
}

/** It follows the newest one until one has chosen another. */
export function ImageSeries({ run, name, points }: { run: string; name: string; points: readonly Point[] }) {
  const steps = imageSteps(points);
  const [chosen, setChosen] = useState<number>();
  const last = steps[steps.length - 1];
  const shown = chosen === undefined ? last : stepAt(steps, chosen);
  const at = steps.findIndex((one) => one === shown);
  // The next ones are fetched ahead, so that the slider runs smoothly.
  useEffect(() => {
    for (const near of [steps[at - 1], steps[at + 1]]) {
      for (const path of near?.paths.slice(0, 4) ?? []) new Image().src = apiUrl(`/runs/${segment(run)}/artifacts/${segments(path)}`, { show: "inline" });
    }
  }, [run, at, steps.length]);
  return (
    <>
      {steps.length > 1 && <StepSlider label={`Step of ${name}`} steps={steps.map((one) => one.step)} value={shown?.step ?? 0} onChange={setChosen} />}
      <Images run={run} shown={shown} />
    </>
  );
}
