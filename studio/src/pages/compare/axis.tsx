// One upright axis of the parallel coordinates: ticks, its name, and a part of it chosen by dragging.
import { useRef, useState, type PointerEvent } from "react";
import { brushBetween } from "./brushes";
import type { Scale } from "./scale";

const MOST_TICKS = 14;
const clip = (text: string, most: number): string => (text.length > most ? `${text.slice(0, most - 1)}…` : text);

interface AxisProps {
  x: number;
  top: number;
  height: number;
  label: string;
  scale: Scale;
  /** On which side of the axis its ticks are written. */
  side: "left" | "right";
  brush: [number, number] | undefined;
  onBrush: (brush: [number, number] | undefined) => void;
}

export function Axis({ x, top, height, label, scale, side, brush, onBrush }: AxisProps) {
  const from = useRef<number>(undefined);
  const [dragged, setDragged] = useState<[number, number]>();
  const place = (event: PointerEvent<SVGElement>) => {
    const box = event.currentTarget.ownerSVGElement!.getBoundingClientRect();
    return 1 - (event.clientY - box.top - top) / height;
  };
  const shown = dragged ?? brush;
  const stride = Math.ceil(scale.ticks.length / MOST_TICKS);
  return (
    <g className="parallel-axis" transform={`translate(${x} ${top})`}>
      <line y1={0} y2={height} />
      {scale.ticks
        .filter((_, i) => i % stride === 0)
        .map((tick) => (
          <g key={tick.text} transform={`translate(0 ${height * (1 - tick.at)})`}>
            <line x1={-3} x2={3} />
            <text x={side === "right" ? 7 : -7} dy="0.32em" textAnchor={side === "right" ? "start" : "end"}>
              {clip(tick.text, 16)}
              {tick.text.length > 16 && <title>{tick.text}</title>}
            </text>
          </g>
        ))}
      {shown && <rect className="parallel-brush" x={-8} width={16} y={height * (1 - shown[1])} height={height * (shown[1] - shown[0])} />}
      <rect
        className="parallel-grip"
        x={-12}
        width={24}
        y={-6}
        height={height + 12}
        onPointerDown={(event) => {
          event.currentTarget.setPointerCapture(event.pointerId);
          from.current = place(event);
        }}
        onPointerMove={(event) => from.current !== undefined && setDragged(brushBetween(from.current, place(event)))}
        onPointerUp={(event) => {
          if (from.current === undefined) return;
          onBrush(brushBetween(from.current, place(event)));
          from.current = undefined;
          setDragged(undefined);
        }}
        onPointerCancel={() => {
          from.current = undefined;
          setDragged(undefined);
        }}
      >
        <title>{`Drag to filter by ${label}; click to end the filter`}</title>
      </rect>
    </g>
  );
}
