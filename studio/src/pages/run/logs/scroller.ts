// Scrolling through a log: by wheel, finger and keys. The page has no native scroll bar for it, since nobody knows how high
// a log of many gigabytes is; the place in it is a row and some pixels.
import { useEffect, useRef, type RefObject } from "react";

/** Calls `by` with pixels, which answers whether there was anywhere to go. */
export function useScrollGestures(box: RefObject<HTMLElement | null>, lineHeight: number, by: (pixels: number) => boolean): void {
  const latest = useRef(by);
  latest.current = by;
  useEffect(() => {
    const element = box.current;
    if (!element) return;
    const wheel = (event: WheelEvent) => {
      if (event.ctrlKey || event.deltaY === 0 || (event.shiftKey && event.deltaX === 0)) return;
      const unit = event.deltaMode === 1 ? lineHeight : event.deltaMode === 2 ? element.clientHeight : 1;
      if (latest.current(event.deltaY * unit)) event.preventDefault();
    };

    let last: { y: number; at: number } | undefined;
    let speed = 0;
    let frame = 0;
    const start = (event: TouchEvent) => {
      cancelAnimationFrame(frame);
      speed = 0;
      last = event.touches.length === 1 ? { y: event.touches[0]!.clientY, at: event.timeStamp } : undefined;
    };
    const move = (event: TouchEvent) => {
      if (!last || event.touches.length !== 1) return;
      const y = event.touches[0]!.clientY;
      const pixels = last.y - y;
      speed = 0.7 * (pixels / Math.max(1, event.timeStamp - last.at)) + 0.3 * speed;
      last = { y, at: event.timeStamp };
      if (latest.current(pixels) && event.cancelable) event.preventDefault();
    };
    const end = () => {
      last = undefined;
      let before = performance.now();
      const glide = (now: number) => {
        const passed = now - before;
        before = now;
        speed *= 0.995 ** passed;
        if (Math.abs(speed) > 0.02 && latest.current(speed * passed)) frame = requestAnimationFrame(glide);
      };
      if (Math.abs(speed) > 0.1) frame = requestAnimationFrame(glide);
    };
    element.addEventListener("wheel", wheel, { passive: false });
    element.addEventListener("touchstart", start, { passive: true });
    element.addEventListener("touchmove", move, { passive: false });
    element.addEventListener("touchend", end);
    return () => {
      cancelAnimationFrame(frame);
      element.removeEventListener("wheel", wheel);
      element.removeEventListener("touchstart", start);
      element.removeEventListener("touchmove", move);
      element.removeEventListener("touchend", end);
    };
  }, [box, lineHeight]);
}

export interface Measures {
  width: number;
  height: number;
  line: number;
  character: number;
}

/** The size of the view and of a character in it; `probe` is one line of ten characters. */
export function measure(box: HTMLElement, probe: HTMLElement): Measures {
  const size = probe.getBoundingClientRect();
  return { width: box.clientWidth, height: box.clientHeight, line: size.height || 18, character: size.width / 10 || 8 };
}
