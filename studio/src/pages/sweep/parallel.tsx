// Parallel coordinates on a canvas: one line a trial through its parameters, which ends at its value of the primary metric.
import { useCallback, useMemo } from "react";
import { useSearch } from "../../lib/route";
import { textScale, useWidth } from "../../lib/size";
import { themeColor, useThemeVersion } from "../../lib/theme";
import type { Trial } from "../../lib/sweep";
import { Button, Menu } from "../../ui/base";
import { Axis } from "../compare/axis";
import { textsOf, type Brushes } from "../compare/brushes";
import { Ramp } from "../compare/ramp_legend";
import type { Scale } from "../compare/scale";
import { textAt, type SweepAxis } from "./axes";
import { Canvas, inFrames, rampColors, shadeOf, type Draw } from "./canvas";
import { clipped, type Goal } from "./trials";

const [HEIGHT, TOP, SIDE, LEAST, NOT_SET] = [300, 16, 76, 120, 18];
/** About the width of a letter of a tick and of a name, which is bold. */
const [LETTER, BOLD] = [6.8, 8];
const longestTick = (scale: Scale | undefined): number => Math.min(16, Math.max(0, ...(scale?.ticks ?? []).map((tick) => tick.text.length)));
/** Of what the filters leave out, more would only be a grey area. */
const MOST_OUTSIDE = 800;

export interface ParallelProps {
  /** The primary metric is the last. */
  axes: readonly SweepAxis[];
  scales: readonly Scale[];
  /** Of each axis where each trial stands on it. */
  places: readonly (number | undefined)[][];
  trials: readonly Trial[];
  /** One a trial: whether it passes the filters. */
  inside: readonly boolean[];
  brushes: Brushes;
  goal: Goal;
}

/** What a filter by dragging does, for the keyboard: two sliders an axis. Only made while the menu is open. */
function Filters({ axes, scales, brushes, onBrush }: Pick<ParallelProps, "axes" | "scales" | "brushes"> & { onBrush: (id: string, brush: [number, number] | undefined) => void }) {
  return (
    <>
      {axes.map((axis, i) => {
        const [low, high] = brushes.get(axis.id) ?? [0, 1];
        const set = (next: [number, number]) => onBrush(axis.id, next[0] <= 0 && next[1] >= 1 ? undefined : next);
        return (
          <fieldset key={axis.id} className="sweep-filter">
            <legend>
              {axis.label}: {textAt(axis, scales[i]!, low)} to {textAt(axis, scales[i]!, high)}
            </legend>
            <input type="range" aria-label={`Least ${axis.label}`} aria-valuetext={textAt(axis, scales[i]!, low)} min={0} max={1} step={0.02} value={low} onChange={(event) => set([Math.min(Number(event.target.value), high - 0.02), high])} />
            <input type="range" aria-label={`Greatest ${axis.label}`} aria-valuetext={textAt(axis, scales[i]!, high)} min={0} max={1} step={0.02} value={high} onChange={(event) => set([low, Math.max(Number(event.target.value), low + 0.02)])} />
          </fieldset>
        );
      })}
    </>
  );
}

export function Parallel({ axes, scales, places, trials, inside, brushes, goal }: ParallelProps) {
  const [, change] = useSearch();
  const [box, width] = useWidth();
  const theme = useThemeVersion();
  const height = Math.round(HEIGHT * textScale());
  // The ticks of the first axis are on its left.
  const left = Math.max(SIDE, (longestTick(scales[0]) * LETTER + 14) * textScale());
  const drawn = Math.max(width, (axes.length - 1) * LEAST + left + SIDE);
  const apart = axes.length < 2 ? 0 : (drawn - left - SIDE) / (axes.length - 1);
  const x = useCallback((i: number) => left + i * apart, [left, apart]);
  const most = Math.floor(Math.min(2 * SIDE, Math.max(apart, LEAST)) / (BOLD * textScale()));
  const colors = useMemo(rampColors, [theme]);
  const draw = useCallback<Draw>(
    (context, wide, high) => {
      context.clearRect(0, 0, wide, high);
      context.globalAlpha = 1;
      const last = places.at(-1)!;
      // Below an axis whose parameter the trial does not have; one without a value of the metric ends before it.
      const trace = (trial: number) => {
        places.forEach((axis, a) => {
          const at = axis[trial];
          if (at === undefined && axis === last) return;
          const y = at === undefined ? TOP + height + NOT_SET : TOP + (1 - at) * height;
          if (a > 0) context.lineTo(x(a), y);
          else context.moveTo(x(a), y);
        });
      };
      const [outside, within]: [number[], number[]] = [[], []];
      trials.forEach((_, i) => (inside[i] ? within : outside).push(i));
      const stride = Math.max(1, Math.ceil(outside.length / MOST_OUTSIDE));
      context.lineWidth = 1;
      context.strokeStyle = themeColor("--line");
      for (let i = 0; i < outside.length; i += stride) {
        context.beginPath();
        trace(outside[i]!);
        context.stroke();
      }
      // Many lines are drawn faintly, so that where they are dense is seen; the best come last, on top.
      const worth = (trial: number) => (last[trial] === undefined ? -1 : goal === "maximize" ? last[trial]! : 1 - last[trial]!);
      within.sort((a, b) => worth(a) - worth(b));
      const faint = Math.max(0.12, Math.min(0.85, 60 / Math.sqrt(within.length * 25 + 1)));
      context.lineWidth = within.length > 1000 ? 1 : 1.5;
      const none = themeColor("--line-strong");
      return inFrames(within.length, (rank) => {
        const trial = within[rank]!;
        context.globalAlpha = rank >= within.length - 10 ? 1 : faint;
        context.strokeStyle = last[trial] === undefined ? none : colors[shadeOf(last[trial]!)]!;
        context.beginPath();
        trace(trial);
        context.stroke();
      });
    },
    [places, trials, inside, goal, colors, x, height],
  );
  const onBrush = (id: string, brush: [number, number] | undefined) => {
    const next = new Map(brushes);
    if (brush) next.set(id, brush);
    else next.delete(id);
    change({ brush: textsOf(next) });
  };
  const passing = inside.filter(Boolean).length;
  const tall = height + TOP + NOT_SET + Math.round(46 * textScale());
  return (
    <section className="card" aria-labelledby="parallel-title">
      <div className="row">
        <h2 id="parallel-title">Parallel coordinates</h2>
        <Menu label="Filters">
          <Filters {...{ axes, scales, brushes, onBrush }} />
        </Menu>
        {brushes.size > 0 && (
          <Button small onClick={() => change({ brush: [] })}>
            End all filters
          </Button>
        )}
        <span className="note" role="status">
          {brushes.size > 0 ? `${passing} of ${trials.length} trials pass; the table shows only them.` : "Drag along an axis to keep only trials that cross it there."}
        </span>
      </div>
      <Ramp label={axes.at(-1)!.label} scale={scales.at(-1)!} />
      <div className="scroll" ref={box} tabIndex={0} role="region" aria-label="Axes and lines">
        {width > 0 && (
          <div className="sweep-parallel" style={{ width: drawn, height: tall }}>
            <Canvas width={drawn} height={height + TOP + NOT_SET + 4} draw={draw} label={`${passing} of ${trials.length} trials on ${axes.length} axes; the table of trials has the same values`} />
            <svg className="parallel" width={drawn} height={tall}>
              {axes.map((axis, i) => (
                <g key={axis.id}>
                  <Axis x={x(i)} top={TOP} height={height} label={axis.label} scale={scales[i]!} side={i === axes.length - 1 ? "right" : "left"} brush={brushes.get(axis.id)} onBrush={(brush) => onBrush(axis.id, brush)} />
                  {i < axes.length - 1 && axis.values.includes(undefined) && (
                    <text className="parallel-kind" x={x(i) + 7} y={TOP + height + NOT_SET} dy="0.32em">
                      not set
                    </text>
                  )}
                  <text className="parallel-name" x={x(i)} y={TOP + height + NOT_SET + 24 * textScale()} textAnchor="middle">
                    {clipped(axis.label, most)}
                    <title>{axis.label}</title>
                  </text>
                  <text className="parallel-kind" x={x(i)} y={TOP + height + NOT_SET + 39 * textScale()} textAnchor="middle">
                    {scales[i]!.kind === "log" ? "log" : ""}
                  </text>
                </g>
              ))}
            </svg>
          </div>
        )}
      </div>
    </section>
  );
}
