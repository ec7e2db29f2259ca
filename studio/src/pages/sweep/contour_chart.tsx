// The metric over two parameters that one chooses.
import { useCallback, useMemo } from "react";
import { number } from "../../lib/format";
import { useSearch } from "../../lib/route";
import { themeColor, useThemeVersion } from "../../lib/theme";
import type { Sweep, Trial } from "../../lib/sweep";
import { Ramp } from "../compare/ramp_legend";
import { isNumeric } from "../compare/scale";
import { metricAxis, parameterAxes, scaleOfAxis, type SweepAxis } from "./axes";
import { rampColors, shadeOf } from "./canvas";
import { fieldOf, lineAt } from "./contour";
import { PointChart, told, type Point } from "./point_chart";
import { endOf, valueOf } from "./trials";

const LINES = 7;

function Choose({ label, axes, value, onChange }: { label: string; axes: SweepAxis[]; value: string; onChange: (id: string) => void }) {
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

/** `usual`: the parameters that matter most, which are shown until someone chooses. */
export function ContourChart({ sweep, trials, usual }: { sweep: Sweep; trials: readonly Trial[]; usual: readonly string[] }) {
  const [search, change] = useSearch();
  const theme = useThemeVersion();
  const { space, metric } = sweep.spec;
  const { axes, values } = useMemo(() => ({ axes: parameterAxes(space, trials), values: metricAxis(metric, trials) }), [trials, space.length, metric.name]);
  // Between categories there is nothing to smooth: numbers first.
  const numbers = axes.filter((one) => isNumeric(one.values)).map((one) => one.id);
  const order = [...usual.filter((id) => numbers.includes(id)), ...usual.filter((id) => !numbers.includes(id))];
  const find = (name: string, other: string | undefined) =>
    axes.find((one) => one.id === search.get(name)) ?? axes.find((one) => one.id === order.find((id) => id !== other)) ?? axes.find((one) => one.id !== other);
  const y = find("cy", search.get("cx") ?? order[0] ?? axes[0]?.id);
  const x = find("cx", y?.id);
  const made = useMemo(() => {
    if (!x || !y) return undefined;
    const [xs, ys, zs] = [scaleOfAxis(x, 5), scaleOfAxis(y, 5), scaleOfAxis(values)];
    const points: (Point & { value: number })[] = trials.flatMap((trial, i) => {
      const [px, py, value] = [xs.at(x.values[i]), ys.at(y.values[i]), zs.at(values.values[i])];
      return px === undefined || py === undefined || value === undefined ? [] : [{ x: px, y: py, value, end: endOf(trial), trial }];
    });
    return { xs, ys, zs, points, field: fieldOf(points) };
  }, [x, y, values, trials]);
  const colors = useMemo(rampColors, [theme]);
  const field = made?.field;
  const under = useCallback(
    (context: CanvasRenderingContext2D, box: { left: number; top: number; width: number; height: number }) => {
      if (!field) return;
      const { size, cells } = field;
      const [wide, high] = [box.width / (size - 1), box.height / (size - 1)];
      context.save();
      context.beginPath();
      context.rect(box.left, box.top, box.width, box.height);
      context.clip();
      context.globalAlpha = 0.75;
      cells.forEach((value, i) => {
        if (Number.isNaN(value)) return;
        context.fillStyle = colors[shadeOf(value)]!;
        // Edge to edge: where faint cells overlapped, there would be a line.
        const [column, row] = [i % size, Math.floor(i / size)];
        const [left, right] = [Math.round(box.left + (column - 0.5) * wide), Math.round(box.left + (column + 0.5) * wide)];
        const [top, bottom] = [Math.round(box.top + box.height - (row + 0.5) * high), Math.round(box.top + box.height - (row - 0.5) * high)];
        context.fillRect(left, top, right - left, bottom - top);
      });
      context.globalAlpha = 0.55;
      context.strokeStyle = themeColor("--bg");
      context.lineWidth = 1.2;
      context.beginPath();
      for (let n = 1; n <= LINES; n += 1) {
        for (const [x0, y0, x1, y1] of lineAt(field, field.low + ((field.high - field.low) * n) / (LINES + 1))) {
          context.moveTo(box.left + x0 * box.width, box.top + (1 - y0) * box.height);
          context.lineTo(box.left + x1 * box.width, box.top + (1 - y1) * box.height);
        }
      }
      context.stroke();
      context.restore();
    },
    [field, colors],
  );
  if (!made || !x || !y || axes.length < 2) return null;
  return (
    <section className="card" aria-labelledby="contour-title">
      <div className="row">
        <h2 id="contour-title">Contour</h2>
        <Choose label="x" axes={axes} value={x.id} onChange={(id) => change(id === y.id ? { cx: id, cy: x.id } : { cx: id, cy: y.id })} />
        <Choose label="y" axes={axes} value={y.id} onChange={(id) => change(id === x.id ? { cy: id, cx: y.id } : { cy: id, cx: x.id })} />
      </div>
      <Ramp label={values.label} scale={made.zs} />
      <PointChart
        label={`${values.label} over ${x.label} and ${y.label}, ${made.points.length} trials`}
        xs={made.xs}
        ys={made.ys}
        points={made.points}
        xName={x.label}
        yName={`${y.label}${made.ys.kind === "log" ? " (log)" : ""}`}
        height={340}
        under={under}
        plain
        tell={(trial) => `${x.label} ${told(x.values[trials.indexOf(trial)])}, ${y.label} ${told(y.values[trials.indexOf(trial)])}: ${number(valueOf(trial))}`}
      />
      <p className="note">Means of near trials, weighted by a bell curve; other parameters differ between them. Empty where no trial is near.</p>
    </section>
  );
}
