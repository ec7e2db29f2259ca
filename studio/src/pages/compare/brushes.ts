// Parts of axes that a run must lie in to be shown, as the address has them: ?brush=params.lr~0.1~0.5 (from 0 to 1 of the axis).
export type Brushes = Map<string, [number, number]>;

export function brushesOf(texts: readonly string[]): Brushes {
  const brushes: Brushes = new Map();
  for (const text of texts) {
    const parts = text.split("~");
    const [high, low] = [Number(parts.pop()), Number(parts.pop())];
    const id = parts.join("~");
    if (id && low >= 0 && high <= 1 && low < high) brushes.set(id, [low, high]);
  }
  return brushes;
}

export const textsOf = (brushes: Brushes): string[] => [...brushes].map(([id, [low, high]]) => `${id}~${low.toFixed(3)}~${high.toFixed(3)}`);

/** Two ends of a drag as a part of the axis; a mere click is none. */
export function brushBetween(a: number, b: number): [number, number] | undefined {
  const clamp = (value: number) => Math.min(1, Math.max(0, value));
  const [low, high] = [clamp(Math.min(a, b)), clamp(Math.max(a, b))];
  return high - low < 0.015 ? undefined : [low, high];
}

/** Whether a run that stands at `places` (by axis) lies in all of them. */
export function passes(places: ReadonlyMap<string, number | undefined>, brushes: Brushes): boolean {
  for (const [id, [low, high]] of brushes) {
    if (!places.has(id)) continue;
    const at = places.get(id);
    if (at === undefined || at < low - 1e-9 || at > high + 1e-9) return false;
  }
  return true;
}
