// The metric over two parameters that one chooses.
import { useCallback, useMemo } from "react";
import { number } from "../../lib/format";
import { useNear } from "../../lib/near";
import { useSearch } from "../../lib/route";
import { themeColor, useThemeVersion } from "../../lib/theme";
import type { Trial } from "../../lib/sweep";
import { Ramp } from "../compare/ramp_legend";
import { isNumeric, type Scale } from "../compare/scale";
import { scaleOfAxis, type SweepAxis } from "./axes";
import { rampColors, shadeOf } from "./canvas";
import { fieldOf, levelsOf, lineAt, type FieldAxis } from "./contour";
import { PointChart, told, type Point } from "./point_chart";
import { endOf, valueOf } from "./trials";

const HEIGHT = 340;
const LINES = 7;
/** Along an axis of numbers. */
const CELLS = 80;

const cellsOf = (scale: Scale): FieldAxis => (scale.kind === "category" ? { cells: scale.ticks.length, smooth: false } : { cells: CELLS, smooth: true });
/** Where a cell begins and ends, from 0 to 1; of numbers half of the first and the last lie outside. */
const edgesOf = (cell: number, cells: number, smooth: boolean): [number, number] =>
  smooth ? [(cell - 0.5) / (cells - 1), (cell + 0.5) / (cells - 1)] : [cell / cells, (cell + 1) / cells];

/** Each category stands in the middle of its band, not at the end of the axis. */
function banded(scale: Scale): Scale {
  if (scale.kind !== "category") return scale;
  const { length } = scale.ticks;
  const place = (at: number) => (length === 1 ? 0.5 : (at * (length - 1) + 0.5) / length);
  return { ...scale, at: (value) => { const at = scale.at(value); return at === undefined ? undefined : place(at); }, ticks: scale.ticks.map((tick) => ({ ...tick, at: place(tick.at) })) };
}

function Choose({ label, axes, value, onChange }: { label: string; axes: readonly SweepAxis[]; value: string; onChange: (id: string) => void }) {
  return (
    <label className="sweep-choose">
      {label}{" "}
      <select value={value} onChange={(event) => onChange(event.target.value)}>
        {axes.map((axis) => (
          <option key={axis.id} value={axis.id}>
            {axis.label}
          </option>
        ))}
      </select>
    </label>
  );
}

/** Of two axes or more. `usual`: the parameters that matter most, which are shown until someone chooses. */
export function ContourChart({ axes, metric: values, trials, usual }: { axes: readonly SweepAxis[]; metric: SweepAxis; trials: readonly Trial[]; usual: readonly string[] }) {
  const [place, near] = useNear();
  const [search, change] = useSearch();
  const theme = useThemeVersion();
  const order = useMemo(() => {
    // Between categories there is nothing to smooth: numbers first, and last what is always the same.
    const rank = (one: SweepAxis) => (new Set(one.values.filter((value) => value !== undefined)).size < 2 ? 2 : isNumeric(one.values) ? 0 : 1);
    const ranks = new Map(axes.map((one) => [one.id, rank(one)]));
    return [...usual].sort((a, b) => (ranks.get(a) ?? 2) - (ranks.get(b) ?? 2));
  }, [axes, usual]);
  const find = (name: string, other: string | undefined) =>
    axes.find((one) => one.id === search.get(name)) ?? axes.find((one) => one.id === order.find((id) => id !== other)) ?? axes.find((one) => one.id !== other);
  const y = find("cy", search.get("cx") ?? order[0] ?? axes[0]?.id);
  const x = find("cx", y?.id);
  const made = useMemo(() => {
    if (!near || !x || !y) return undefined;
    const [plainX, plainY, zs] = [scaleOfAxis(x, 5), scaleOfAxis(y, 5), scaleOfAxis(values)];
    const [xs, ys] = [banded(plainX), banded(plainY)];
    const [points, spots]: [Point[], { x: number; y: number; value: number }[]] = [[], []];
    trials.forEach((trial, i) => {
      const [px, py, value] = [plainX.at(x.values[i]), plainY.at(y.values[i]), zs.at(values.values[i])];
      if (px === undefined || py === undefined || value === undefined) return;
      spots.push({ x: px, y: py, value });
      points.push({ x: xs.at(x.values[i])!, y: ys.at(y.values[i])!, end: endOf(trial), trial });
    });
    const [across, up] = [cellsOf(plainX), cellsOf(plainY)];
    return { xs, ys, zs, points, across, up, field: fieldOf(spots, across, up) };
  }, [near, x, y, values, trials]);
  const colors = useMemo(rampColors, [theme]);
  const under = useCallback(
    (context: CanvasRenderingContext2D, box: { left: number; top: number; width: number; height: number }) => {
      if (!made) return;
      const { field, across, up } = made;
      context.save();
      context.beginPath();
      context.rect(box.left, box.top, box.width, box.height);
      context.clip();
      context.globalAlpha = 0.75;
      field.cells.forEach((value, i) => {
        if (Number.isNaN(value)) return;
        context.fillStyle = colors[shadeOf(value)]!;
        // Edge to edge: where faint cells overlapped, there would be a line.
        const [west, east] = edgesOf(i % across.cells, across.cells, across.smooth).map((at) => Math.round(box.left + at * box.width)) as [number, number];
        const [south, north] = edgesOf(Math.floor(i / across.cells), up.cells, up.smooth).map((at) => Math.round(box.top + (1 - at) * box.height)) as [number, number];
        context.fillRect(west, north, east - west, south - north);
      });
      context.globalAlpha = 0.55;
      context.strokeStyle = themeColor("--bg");
      context.lineWidth = 1.2;
      context.beginPath();
      // Lines between categories would say nothing.
      for (const level of across.smooth && up.smooth ? levelsOf(field, LINES) : []) {
        for (const [x0, y0, x1, y1] of lineAt(field, level)) {
          context.moveTo(box.left + x0 * box.width, box.top + (1 - y0) * box.height);
          context.lineTo(box.left + x1 * box.width, box.top + (1 - y1) * box.height);
        }
      }
      context.stroke();
      context.restore();
    },
    [made, colors],
  );
  if (!x || !y) return null;
  return (
    <section className="card" aria-labelledby="contour-title">
      <div className="row">
        <h2 id="contour-title">Contour</h2>
        <Choose label="x" axes={axes} value={x.id} onChange={(id) => change(id === y.id ? { cx: id, cy: x.id } : { cx: id, cy: y.id })} />
        <Choose label="y" axes={axes} value={y.id} onChange={(id) => change(id === x.id ? { cy: id, cx: y.id } : { cy: id, cx: x.id })} />
      </div>
      <div ref={place} style={{ minHeight: made ? undefined : HEIGHT }}>
        {made && (
          <>
            <Ramp label={values.label} scale={made.zs} />
            <PointChart
              label={`${values.label} over ${x.label} and ${y.label}, ${made.points.length} trials`}
              xs={made.xs}
              ys={made.ys}
              points={made.points}
              xName={x.label}
              yName={`${y.label}${made.ys.kind === "log" ? " (log)" : ""}`}
              height={HEIGHT}
              under={under}
              plain
              tell={(trial) => `${x.label} ${told(x.values[trials.indexOf(trial)])}, ${y.label} ${told(y.values[trials.indexOf(trial)])}: ${number(valueOf(trial))}`}
            />
            <p className="note">
              Means of near trials, weighted by a bell curve{made.xs.kind === "category" || made.ys.kind === "category" ? " along numbers" : ""}; other parameters differ between them. Empty where no
              trial is near.
            </p>
          </>
        )}
      </div>
    </section>
  );
}
