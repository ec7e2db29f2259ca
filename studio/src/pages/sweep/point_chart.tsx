// Trials as points on two axes, on a canvas: ten thousand are drawn at once. The table of trials says the same in words.
import { useCallback, useMemo, useState, type MouseEvent } from "react";
import { number } from "../../lib/format";
import { navigate, runPath } from "../../lib/route";
import { textScale, useWidth } from "../../lib/size";
import { themeColor } from "../../lib/theme";
import type { Trial } from "../../lib/sweep";
import type { Scale } from "../compare/scale";
import { Canvas, type Draw } from "./canvas";
import { endOf, ENDS, type End } from "./trials";

export interface Point {
  /** From 0 to 1 of the axes. */
  x: number;
  y: number;
  end: End;
  trial: Trial;
}
interface Box {
  left: number;
  top: number;
  width: number;
  height: number;
}

export interface PointChartProps {
  label: string;
  points: readonly Point[];
  xs: Scale;
  ys: Scale;
  xName: string;
  yName?: string;
  height: number;
  /** What is said of a point that is pointed at, after its number. */
  tell: (trial: Trial) => string;
  /** A line through these places, stepwise. */
  steps?: readonly { x: number; y: number }[];
  /** Drawn below the points, in the box of the axes. */
  under?: (context: CanvasRenderingContext2D, box: Box) => void;
  /** Points as small dark dots, where colour means something else. */
  plain?: boolean;
}

const NEAR = 14;
/** Room at the ends of the axes, so that points do not lie on the frame. */
const INSET = 7;
const clip = (text: string, most: number): string => (text.length > most ? `${text.slice(0, most - 1)}…` : text);

function boxOf(width: number, height: number, ys: Scale, named: boolean): Box {
  const scale = textScale();
  const longest = Math.min(10, Math.max(2, ...ys.ticks.map((tick) => tick.text.length)));
  const left = 12 + 6.4 * scale * longest;
  const bottom = (named ? 38 : 22) * scale;
  return { left, top: 8, width: width - left - 12, height: height - 8 - bottom };
}

/** Only ticks that do not run into one another. */
function shownTicks(scale: Scale, length: number, room: (text: string) => number): Scale["ticks"] {
  let last = -Infinity;
  return [...scale.ticks].sort((a, b) => a.at - b.at).filter((tick) => {
    const [at, half] = [tick.at * length, room(tick.text) / 2];
    if (at - half < last) return false;
    last = at + half;
    return true;
  });
}

export function PointChart({ label, points, xs, ys, xName, yName, height, tell, steps, under, plain }: PointChartProps) {
  const [ref, width] = useWidth();
  const [over, setOver] = useState<Point>();
  const tall = Math.round(height * textScale());
  const box = useMemo(() => boxOf(width, tall, ys, true), [width, tall, ys]);
  const atX = useCallback((x: number) => box.left + INSET + x * (box.width - 2 * INSET), [box]);
  const atY = useCallback((y: number) => box.top + box.height - INSET - y * (box.height - 2 * INSET), [box]);

  const draw = useCallback<Draw>(
    (context, wide, high) => {
      const scale = textScale();
      context.clearRect(0, 0, wide, high);
      under?.(context, { left: atX(0), top: atY(1), width: atX(1) - atX(0), height: atY(0) - atY(1) });
      context.font = `${Math.round(11 * scale)}px system-ui, -apple-system, "Segoe UI", Roboto, "DejaVu Sans", sans-serif`;
      const [muted, line] = [themeColor("--muted"), themeColor("--line")];
      context.lineWidth = 1;
      context.strokeStyle = line;
      context.fillStyle = muted;
      context.textBaseline = "middle";
      context.textAlign = "right";
      for (const tick of shownTicks(ys, box.height, () => 14 * scale)) {
        const y = Math.round(atY(tick.at)) + 0.5;
        if (!under) {
          context.beginPath();
          context.moveTo(box.left, y);
          context.lineTo(box.left + box.width, y);
          context.stroke();
        }
        context.fillText(clip(tick.text, 10), box.left - 6, y);
      }
      context.textBaseline = "top";
      for (const tick of shownTicks(xs, box.width, (text) => context.measureText(clip(text, 12)).width + 12)) {
        const x = Math.round(atX(tick.at)) + 0.5;
        if (!under) {
          context.beginPath();
          context.moveTo(x, box.top);
          context.lineTo(x, box.top + box.height);
          context.stroke();
        }
        const half = context.measureText(clip(tick.text, 12)).width / 2;
        context.textAlign = "center";
        context.fillText(clip(tick.text, 12), Math.max(half, Math.min(wide - half, x)), box.top + box.height + 5);
      }
      context.fillStyle = themeColor("--text");
      context.fillText(`${xName}${xs.kind === "log" ? " (log)" : ""}`, box.left + box.width / 2, box.top + box.height + 5 + 16 * scale);
      if (steps && steps.length > 0) {
        context.strokeStyle = themeColor("--text");
        context.lineWidth = 1.6;
        context.beginPath();
        steps.forEach((step, i) => {
          if (i === 0) context.moveTo(atX(step.x), atY(step.y));
          else {
            context.lineTo(atX(step.x), atY(steps[i - 1]!.y));
            context.lineTo(atX(step.x), atY(step.y));
          }
        });
        context.lineTo(atX(1), atY(steps.at(-1)!.y));
        context.stroke();
      }
      drawPoints(context, points, atX, atY, plain ?? false);
    },
    [points, xs, ys, xName, steps, under, plain, box, atX, atY],
  );

  const near = (event: MouseEvent<HTMLElement>): Point | undefined => {
    const rect = event.currentTarget.getBoundingClientRect();
    const [x, y] = [event.clientX - rect.left, event.clientY - rect.top];
    let [best, distance]: [Point | undefined, number] = [undefined, NEAR * NEAR];
    for (const point of points) {
      const found = (atX(point.x) - x) ** 2 + (atY(point.y) - y) ** 2;
      if (found <= distance) [best, distance] = [point, found];
    }
    return best;
  };
  return (
    <div className="sweep-points" ref={ref}>
      {yName && <div className="sweep-y note">{yName}</div>}
      <div
        className={over ? "sweep-over" : ""}
        onMouseMove={(event) => setOver(near(event))}
        onMouseLeave={() => setOver(undefined)}
        onClick={(event) => {
          const found = near(event);
          if (found) navigate(runPath(found.trial.run));
        }}
      >
        {width > 0 && <Canvas width={width} height={tall} draw={draw} label={label} />}
        {over && (
          <>
            <span className="sweep-ring" style={{ left: atX(over.x), top: atY(over.y) }} />
            <span className={`sweep-tip${over.x > 0.5 ? " left" : ""}`} style={{ left: atX(over.x), top: atY(over.y) }}>
              <strong>#{over.trial.number}</strong> {tell(over.trial)}
            </span>
          </>
        )}
      </div>
    </div>
  );
}

function drawPoints(context: CanvasRenderingContext2D, points: readonly Point[], atX: (x: number) => number, atY: (y: number) => number, plain: boolean): void {
  const size = points.length > 3000 ? 1.8 : points.length > 600 ? 2.4 : 3.2;
  if (plain) {
    context.fillStyle = themeColor("--text");
    context.strokeStyle = themeColor("--bg");
    context.lineWidth = 1;
    // Many would hide what is below them.
    context.globalAlpha = Math.max(0.15, Math.min(1, 400 / points.length));
    for (const point of points) {
      context.beginPath();
      context.arc(atX(point.x), atY(point.y), points.length > 600 ? 1 : 2.2, 0, 7);
      if (points.length <= 600) context.stroke();
      context.fill();
    }
    context.globalAlpha = 1;
    return;
  }
  // Those that are the most telling come last, on top.
  for (const { id, color } of [...ENDS].reverse()) {
    context.fillStyle = context.strokeStyle = themeColor(color);
    context.lineWidth = 1.4;
    for (const point of points) {
      if (point.end !== id) continue;
      context.beginPath();
      context.arc(atX(point.x), atY(point.y), size, 0, 7);
      // Not by colour alone.
      if (id === "completed" || id === "running") context.fill();
      else context.stroke();
    }
  }
}

export function EndLegend({ trials, line }: { trials: readonly Trial[]; line: string }) {
  const seen = useMemo(() => new Set(trials.map(endOf)), [trials]);
  return (
    <ul className="sweep-legend">
      {ENDS.filter(({ id }) => seen.has(id)).map(({ id, title, color }) => (
        <li key={id}>
          <span className={`sweep-dot${id === "completed" || id === "running" ? "" : " hollow"}`} style={{ color: `var(${color})` }} aria-hidden="true" /> {title}
        </li>
      ))}
      <li>
        <span className="sweep-line" aria-hidden="true" /> {line}
      </li>
    </ul>
  );
}

export const told = (value: string | number | undefined): string => (typeof value === "number" ? number(value) : (value ?? "–"));
