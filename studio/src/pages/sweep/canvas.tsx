// A canvas that is as sharp as the screen, drawn anew when what it shows, its size or the theme changes.
import { useEffect, useRef, type CanvasHTMLAttributes } from "react";
import { useThemeVersion } from "../../lib/theme";
import { rampColor } from "../compare/ramp";

/** May go on drawing in later frames; then it returns what ends that. */
export type Draw = (context: CanvasRenderingContext2D, width: number, height: number) => (() => void) | void;

/** Milliseconds of drawing in one frame. */
const BUDGET = 12;

/** Does `count` steps, a few milliseconds of them a frame, so that the page stays quick. Returns what ends it. */
export function inFrames(count: number, step: (i: number) => void): () => void {
  let at = 0;
  let frame = 0;
  const go = () => {
    const end = performance.now() + BUDGET;
    while (at < count && performance.now() < end) for (const stop = Math.min(count, at + 50); at < stop; at += 1) step(at);
    if (at < count) frame = requestAnimationFrame(go);
  };
  go();
  return () => cancelAnimationFrame(frame);
}

/** `draw` must be memoised: it is called when it is another function than before. */
export function Canvas({ width, height, draw, label, ...rest }: { width: number; height: number; draw: Draw; label: string } & CanvasHTMLAttributes<HTMLCanvasElement>) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const theme = useThemeVersion();
  useEffect(() => {
    const context = canvas.current?.getContext("2d");
    if (!context || width <= 0) return;
    const ratio = devicePixelRatio || 1;
    canvas.current!.width = Math.round(width * ratio);
    canvas.current!.height = Math.round(height * ratio);
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    return draw(context, width, height);
  }, [width, height, draw, theme]);
  return <canvas ref={canvas} role="img" aria-label={label} style={{ width, height, display: "block" }} {...rest} />;
}

export const SHADES = 32;

/** The colours of the ramp as a canvas understands them. */
export function rampColors(): string[] {
  const probe = document.createElement("span");
  document.body.append(probe);
  const colors = Array.from({ length: SHADES }, (_, i) => {
    probe.style.color = rampColor(i / (SHADES - 1));
    return getComputedStyle(probe).color;
  });
  probe.remove();
  return colors;
}
export const shadeOf = (at: number): number => Math.max(0, Math.min(SHADES - 1, Math.round(at * (SHADES - 1))));
