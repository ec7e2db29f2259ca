// A trial made by hand: what is asked for, what is wrong with it, and the parameters that come of it.
import type { Parameter, Parameters, SweepDimension } from "../../lib/sweep";
import { textOf } from "./trials";

/** By the name of the parameter, as typed; of a choice the text of an option. */
export type HandFields = Record<string, string>;

export const isChoice = ({ expression }: SweepDimension): boolean => expression === "choice";

/** The option that has this text. */
const optionOf = (dimension: SweepDimension, text: string): Parameter | undefined => dimension.values.find((value) => textOf(value) === text);

/** The value of a field, or undefined if it is none. */
function valueOf(dimension: SweepDimension, text: string | undefined): Parameter | undefined {
  if (text === undefined || text.trim() === "") return undefined;
  if (isChoice(dimension)) return optionOf(dimension, text);
  const value = Number(text);
  if (!Number.isFinite(value)) return undefined;
  return dimension.expression === "randint" && !Number.isInteger(value) ? undefined : value;
}

/** Parameters that there are beside the others, in the order of the space: a condition is on an earlier one. */
export function shownOf(space: readonly SweepDimension[], fields: HandFields): SweepDimension[] {
  const values = new Map<string, string>();
  return space.filter((dimension) => {
    const { when } = dimension;
    if (when && !when.values.some((value) => textOf(value) === values.get(when.name))) return false;
    values.set(dimension.name, fields[dimension.name]?.trim() ?? "");
    return true;
  });
}

/** Those of the best trial, and for what it does not have the first option. */
export function firstFields(space: readonly SweepDimension[], best: Parameters | undefined): HandFields {
  return Object.fromEntries(
    space.map((dimension) => {
      const value = best?.[dimension.name] ?? (isChoice(dimension) ? dimension.values[0] : undefined);
      return [dimension.name, textOf(value)];
    }),
  );
}

export function handProblems(space: readonly SweepDimension[], fields: HandFields): Record<string, string> {
  const wrong = shownOf(space, fields).filter((dimension) => valueOf(dimension, fields[dimension.name]) === undefined);
  return Object.fromEntries(wrong.map((dimension) => [dimension.name, dimension.expression === "randint" ? "A whole number." : isChoice(dimension) ? "One of the options." : "A number."]));
}

export function handParameters(space: readonly SweepDimension[], fields: HandFields): Parameters {
  return Object.fromEntries(shownOf(space, fields).map((dimension) => [dimension.name, valueOf(dimension, fields[dimension.name])!]));
}

const short = (value: number): string => String(Number(value.toPrecision(3)));

/** "0.0001 to 0.1, log": what the sweep draws, in the words of the page. */
export function drawnText({ expression, values }: SweepDimension): string {
  const [a = NaN, b = NaN, step] = values.map(Number);
  const steps = expression.startsWith("q") && step !== undefined ? `, in steps of ${short(step)}` : "";
  switch (expression) {
    case "choice":
      return values.map(textOf).join(", ");
    case "randint":
      return `0 to ${a - 1}`;
    case "uniform":
    case "quniform":
      return `${short(a)} to ${short(b)}${steps}`;
    case "loguniform":
    case "qloguniform":
      return `${short(Math.exp(a))} to ${short(Math.exp(b))}, log${steps}`;
    case "normal":
    case "qnormal":
      return `about ${short(a)} ± ${short(b)}${steps}`;
    default:
      return `about ${short(Math.exp(a))}, log${steps}`;
  }
}
