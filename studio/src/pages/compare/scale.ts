// Where a value stands on an axis, from 0 to 1, and where the axis has its ticks.
export interface Scale {
  kind: "linear" | "log" | "category";
  /** undefined: the value has no place (it is absent, not a number, or not positive on a log axis). */
  at: (value: string | number | undefined) => number | undefined;
  ticks: { at: number; text: string }[];
  /** What stands at 0 and at 1. */
  ends: [string, string];
}

/** A number where the text is one; Infinity and NaN have no place on an axis. */
export function numeric(value: string | number | undefined): number | undefined {
  if (value === undefined || value === "") return undefined;
  const parsed = typeof value === "number" ? value : value.trim() === "" ? NaN : Number(value);
  return Number.isFinite(parsed) ? parsed : undefined;
}

export const isNumeric = (values: readonly (string | number | undefined)[]): boolean => {
  const present = values.filter((value) => value !== undefined);
  return present.length > 0 && present.every((value) => numeric(value) !== undefined || value === "NaN" || value === "Infinity" || value === "-Infinity");
};

export function tickText(value: number): string {
  if (value === 0) return "0";
  const size = Math.abs(value);
  if (size >= 1e6 || size < 1e-4) return value.toExponential(1).replace(".0e", "e").replace("e+", "e");
  return String(Number(value.toPrecision(6)));
}

const shortText = (value: number): string => tickText(Number(value.toPrecision(3)));

/** Positive numbers over two powers of ten or more are better seen on a log axis. */
export function wantsLog(values: readonly (string | number | undefined)[]): boolean {
  if (!isNumeric(values)) return false;
  const numbers = values.flatMap((value) => numeric(value) ?? []);
  const low = Math.min(...numbers);
  return numbers.length > 0 && low > 0 && Math.max(...numbers) / low >= 99.999;
}

/** Round numbers from `low` to `high`, about `wanted` of them. */
export function niceTicks(low: number, high: number, wanted: number): number[] {
  const span = high - low;
  if (!(span > 0) || !Number.isFinite(span)) return [low];
  const rough = span / Math.max(1, wanted);
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 2.5, 5, 10].map((factor) => factor * power).find((one) => one >= rough * 0.999) ?? 10 * power;
  const ticks: number[] = [];
  for (let i = Math.ceil(low / step - 1e-9); i * step <= high + step * 1e-9; i += 1) ticks.push(Number((i * step).toPrecision(12)));
  return ticks;
}

function linear(numbers: number[], wanted: number): Scale {
  let [low, high] = [Math.min(...numbers), Math.max(...numbers)];
  if (low === high) {
    const room = Math.abs(low) / 2 || 1;
    [low, high] = [low - room, high + room];
  }
  const place = (value: number) => (value - low) / (high - low);
  const ticks = numbers.every((n) => n === numbers[0]) ? [numbers[0]!] : niceTicks(low, high, wanted);
  return {
    kind: "linear",
    at: (value) => {
      const parsed = numeric(value);
      return parsed === undefined ? undefined : place(parsed);
    },
    ticks: ticks.map((value) => ({ at: place(value), text: tickText(value) })),
    ends: [shortText(low), shortText(high)],
  };
}

function logarithmic(numbers: number[]): Scale {
  const logs = numbers.map(Math.log10);
  let [low, high] = [Math.min(...logs), Math.max(...logs)];
  if (high - low < 1e-9) [low, high] = [low - 0.5, high + 0.5];
  const place = (value: number) => (Math.log10(value) - low) / (high - low);
  let ticks: number[] = [];
  const stride = Math.max(1, Math.ceil((high - low) / 6));
  for (let power = Math.ceil(low - 1e-9); power <= high + 1e-9; power += stride) ticks.push(10 ** power);
  if (ticks.length < 2) ticks = [10 ** low, 10 ** high].map((value) => Number(value.toPrecision(3)));
  return {
    kind: "log",
    at: (value) => {
      const parsed = numeric(value);
      return parsed === undefined || parsed <= 0 ? undefined : place(parsed);
    },
    ticks: ticks.map((value) => ({ at: Math.min(1, Math.max(0, place(value))), text: tickText(Number(value.toPrecision(6))) })),
    ends: [shortText(10 ** low), shortText(10 ** high)],
  };
}

function categories(values: string[]): Scale {
  const all = [...new Set(values)].sort((a, b) => a.localeCompare(b, "en", { numeric: true }));
  const place = (i: number) => (all.length === 1 ? 0.5 : i / (all.length - 1));
  const places = new Map(all.map((value, i) => [value, place(i)]));
  return {
    kind: "category",
    at: (value) => (value === undefined ? undefined : places.get(String(value))),
    ticks: all.map((text, i) => ({ at: place(i), text })),
    ends: [all[0] ?? "", all.at(-1) ?? ""],
  };
}

/** Numbers get a linear axis, or a log one where that is wished and all are positive; all else gets categories. */
export function scaleOf(values: readonly (string | number | undefined)[], log = false, wanted = 5): Scale {
  const present = values.filter((value) => value !== undefined);
  if (!isNumeric(present)) return categories(present.map(String));
  const numbers = present.flatMap((value) => numeric(value) ?? []);
  if (numbers.length === 0) return { kind: "linear", at: () => undefined, ticks: [], ends: ["", ""] };
  return log && numbers.every((n) => n > 0) ? logarithmic(numbers) : linear(numbers, wanted);
}
