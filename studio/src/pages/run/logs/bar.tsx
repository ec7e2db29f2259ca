// The scroll bar of a log: its whole length is the bytes of the log.
import { useRef, type PointerEvent } from "react";
import { bytes } from "../../../lib/format";

interface BarProps {
  size: number;
  /** The bytes in view. */
  from: number;
  to: number;
  marks: readonly number[];
  controls: string;
  /** 0..1; 1 is the end. */
  onGo: (fraction: number) => void;
}

const LEAST = 28;

export function Bar({ size, from, to, marks, controls, onGo }: BarProps) {
  const track = useRef<HTMLDivElement>(null);
  const grip = useRef(0);
  const shown = size === 0 ? 1 : Math.min(1, (to - from) / size);
  const fraction = shown >= 1 ? 0 : to >= size ? 1 : Math.min(1, from / Math.max(1, size - (to - from)));
  const drag = (event: PointerEvent) => {
    const box = track.current!.getBoundingClientRect();
    const thumb = Math.max(LEAST, shown * box.height);
    onGo(Math.min(1, Math.max(0, (event.clientY - box.top - grip.current) / Math.max(1, box.height - thumb))));
  };
  return (
    <div
      ref={track}
      className="log-bar"
      role="scrollbar"
      aria-label="Place in the log"
      aria-orientation="vertical"
      aria-controls={controls}
      aria-valuemin={0}
      aria-valuemax={100}
      aria-valuenow={Math.round(fraction * 100)}
      aria-valuetext={`byte ${from} of ${size}`}
      title={`${bytes(from)} of ${bytes(size)}`}
      onPointerDown={(event) => {
        const box = event.currentTarget.getBoundingClientRect();
        const thumb = Math.max(LEAST, shown * box.height);
        const top = fraction * (box.height - thumb);
        const y = event.clientY - box.top;
        grip.current = y >= top && y <= top + thumb ? y - top : thumb / 2;
        event.currentTarget.setPointerCapture(event.pointerId);
        drag(event);
      }}
      onPointerMove={(event) => event.currentTarget.hasPointerCapture(event.pointerId) && drag(event)}
    >
      {marks.map((mark) => (
        <span key={mark} className="log-tick" style={{ top: `${mark}%` }} />
      ))}
      <span className="log-thumb" style={{ height: `max(${LEAST}px, ${shown * 100}%)`, top: `calc(${fraction} * (100% - max(${LEAST}px, ${shown * 100}%)))` }} />
    </div>
  );
}

/** Where matches are, in percent of the log; no more than can be told apart. */
export function ticks(offsets: readonly number[], size: number): number[] {
  const places = new Set<number>();
  for (const offset of offsets) places.add(Math.round((offset / Math.max(1, size)) * 400) / 4);
  return [...places];
}
