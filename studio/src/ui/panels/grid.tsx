// Charts beside and below one another: dragged by their title to another place, by their corner to another size.
import { useRef, useState, type CSSProperties, type DragEvent, type PointerEvent, type ReactNode } from "react";
import { inOrder, LARGEST, movedTo, type Panels } from "../../lib/panels";
import "./panels.css";

interface GridProps {
  names: readonly string[];
  panels: Panels;
  /** The least width of a column in pixels. */
  least: number;
  children: (name: string) => ReactNode;
}

export function PanelGrid({ names, panels, least, children }: GridProps) {
  const ordered = inOrder(names, panels.order);
  const [over, setOver] = useState<string>();
  const dragged = useRef<string>(undefined);
  const drop = (event: DragEvent, target: string) => {
    event.preventDefault();
    setOver(undefined);
    if (dragged.current !== undefined && dragged.current !== target) panels.setOrder(movedTo(ordered, dragged.current, target));
  };
  return (
    <div className="panels" style={{ "--panel-least": `${least}px` } as CSSProperties}>
      {ordered.map((name) => {
        const { w = 1 } = panels.of(name);
        return (
          <div
            key={name}
            className={`panel${over === name ? " over" : ""}`}
            data-panel={name}
            style={{ gridColumn: w > 1 ? `span ${w}` : undefined }}
            onDragOver={(event) => {
              if (dragged.current === undefined) return;
              event.preventDefault();
              setOver(name);
            }}
            onDragLeave={() => setOver((now) => (now === name ? undefined : now))}
            onDrop={(event) => drop(event, name)}
          >
            <span
              className="panel-grip"
              draggable
              aria-hidden="true"
              title="Drag to another place"
              onDragStart={(event) => {
                dragged.current = name;
                event.dataTransfer.effectAllowed = "move";
                event.dataTransfer.setData("text/plain", name);
                const box = event.currentTarget.parentElement!;
                event.dataTransfer.setDragImage(box, box.clientWidth / 2, 10);
              }}
              onDragEnd={() => {
                dragged.current = undefined;
                setOver(undefined);
              }}
            >
              ⠿
            </span>
            {children(name)}
            <Corner name={name} panels={panels} />
          </div>
        );
      })}
    </div>
  );
}

/** Drawn out, it makes the panel wider by columns and higher by its first height. */
function Corner({ name, panels }: { name: string; panels: Panels }) {
  // Where the drag began, and how large one column and one height were then.
  const start = useRef<{ x: number; y: number; width: number; height: number; w: number; h: number }>(undefined);
  const { w = 1, h = 1 } = panels.of(name);
  const sizeAt = (event: PointerEvent): { w: number; h: number } => {
    const from = start.current!;
    const whole = (part: number) => Math.max(1, Math.min(LARGEST, Math.round(part)));
    return { w: whole(from.w + (event.clientX - from.x) / from.width), h: whole(from.h + (event.clientY - from.y) / from.height) };
  };
  return (
    <span
      className="panel-corner"
      aria-hidden="true"
      title="Drag to another size"
      onPointerDown={(event) => {
        const box = event.currentTarget.parentElement!.getBoundingClientRect();
        start.current = { x: event.clientX, y: event.clientY, width: box.width / w, height: box.height / h, w, h };
        event.currentTarget.setPointerCapture(event.pointerId);
        event.preventDefault();
      }}
      onPointerMove={(event) => {
        if (!start.current) return;
        const next = sizeAt(event);
        if (next.w !== w || next.h !== h) panels.change(name, { w: next.w > 1 ? next.w : undefined, h: next.h > 1 ? next.h : undefined });
      }}
      onPointerUp={() => (start.current = undefined)}
      onPointerCancel={() => (start.current = undefined)}
    />
  );
}
