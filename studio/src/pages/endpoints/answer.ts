// What stands in an answer: a vector of scores is shown as bars, too.
export interface Scores {
  /** The output they are of; "" if it has no name. */
  name: string;
  values: number[];
}
export interface Ranked {
  index: number;
  value: number;
  /** 0 to 1. */
  share: number;
}

const isNumbers = (value: unknown): value is number[] => Array.isArray(value) && value.length > 0 && value.every((one) => typeof one === "number");

/** A list of numbers, also inside of lists that hold nothing else. */
function vector(value: unknown): number[] | undefined {
  let inner = value;
  while (Array.isArray(inner) && inner.length === 1 && Array.isArray(inner[0])) inner = inner[0];
  return isNumbers(inner) && inner.length > 1 ? inner : undefined;
}

interface Output {
  name?: string;
  shape?: number[];
  data?: unknown;
}

/** Each output that is one vector: of v2 ([N] or [1, N]), or of a score.py (a list, or a member that is one). */
export function scoresIn(answer: unknown): Scores[] {
  if (Array.isArray(answer)) return found("", answer);
  if (answer === null || typeof answer !== "object") return [];
  const { outputs } = answer as { outputs?: unknown };
  if (Array.isArray(outputs)) {
    return (outputs as Output[]).flatMap(({ name = "", shape, data }) =>
      // The values of v2 are flat: those of several rows are no vector.
      shape && shape.slice(0, -1).some((size) => size !== 1) ? [] : found(name, data),
    );
  }
  return Object.entries(answer).flatMap(([name, value]) => found(name, value));
}

const found = (name: string, value: unknown): Scores[] => {
  const values = vector(value);
  return values ? [{ name, values }] : [];
};

export function areProbabilities(values: readonly number[]): boolean {
  return values.every((value) => value >= 0 && value <= 1) && Math.abs(values.reduce((sum, value) => sum + value, 0) - 1) < 0.01;
}

export function softmax(values: readonly number[]): number[] {
  const most = Math.max(...values);
  const powers = values.map((value) => Math.exp(value - most));
  const sum = powers.reduce((all, power) => all + power, 0);
  return powers.map((power) => power / sum);
}

/** The greatest first. Shares are the values themselves if those are probabilities, else their softmax. */
export function topOf(values: readonly number[], most = 5): Ranked[] {
  const shares = areProbabilities(values) ? values : softmax(values);
  return values
    .map((value, index) => ({ index, value, share: shares[index]! }))
    .sort((a, b) => b.value - a.value || a.index - b.index)
    .slice(0, most);
}

/** Names of classes that a model carries as its property or tag "labels" or "classes": a JSON list, or words with commas. */
export function labelsOf(model: { properties?: Record<string, unknown>; tags?: Record<string, unknown> } | undefined): string[] {
  for (const key of ["labels", "classes", "class_names"]) {
    const text = model?.properties?.[key] ?? model?.tags?.[key];
    if (typeof text !== "string" || text === "") continue;
    try {
      const list: unknown = JSON.parse(text);
      if (Array.isArray(list)) return list.map(String);
    } catch {
      // Then it is words.
    }
    return text.split(",").map((word) => word.trim());
  }
  return [];
}
