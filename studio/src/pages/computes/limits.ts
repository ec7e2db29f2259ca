// What a compute may be told about its size, checked before the server is asked.
import type { Schemas } from "../../lib/api";

export interface LimitFields {
  min: string;
  max: string;
  idle: string;
  perUser: string;
  runsPerUser: string;
}
export type LimitProblems = Partial<Record<keyof LimitFields, string>>;

function whole(text: string): number | undefined {
  return /^\s*\d{1,9}\s*$/.test(text) ? Number(text) : undefined;
}

function wholeBetween(text: string, least: number, most: number): string | undefined {
  const value = whole(text);
  if (value === undefined) return "Give a whole number.";
  if (value < least || value > most) return `Between ${least} and ${most.toLocaleString("en-US")}.`;
  return undefined;
}

export function checkLimits(fields: LimitFields): LimitProblems {
  const problems: LimitProblems = {};
  const note = (name: keyof LimitFields, text: string | undefined) => {
    if (text) problems[name] = text;
  };
  note("min", wholeBetween(fields.min, 0, 1000));
  note("max", wholeBetween(fields.max, 1, 1000));
  note("idle", wholeBetween(fields.idle, 0, 31_536_000));
  note("perUser", wholeBetween(fields.perUser, 0, 1000));
  note("runsPerUser", wholeBetween(fields.runsPerUser, 0, 1_000_000));
  if (!problems.min && !problems.max && Number(fields.min) > Number(fields.max)) {
    problems.min = `Not more than the most, which is ${Number(fields.max)}.`;
  }
  return problems;
}

export function limitsOf(fields: LimitFields): Required<Schemas["UpdateCompute"]> {
  return {
    min_nodes: Number(fields.min),
    max_nodes: Number(fields.max),
    idle_seconds_before_scaledown: Number(fields.idle),
    max_nodes_per_user: Number(fields.perUser),
    max_runs_per_user: Number(fields.runsPerUser),
  };
}

export function fieldsOf(compute: Schemas["Compute"]): LimitFields {
  return {
    min: String(compute.min_nodes),
    max: String(compute.max_nodes),
    idle: String(compute.idle_seconds_before_scaledown),
    perUser: String(compute.max_nodes_per_user),
    runsPerUser: String(compute.max_runs_per_user),
  };
}

/** Only what was changed, so that two people who edit different limits do not undo one another. */
export function changedLimits(before: LimitFields, after: LimitFields): Schemas["UpdateCompute"] {
  const [was, is] = [limitsOf(before), limitsOf(after)];
  return Object.fromEntries(Object.entries(is).filter(([name, value]) => was[name as keyof typeof was] !== value));
}

export function checkComputeName(name: string): string | undefined {
  if (name.length < 2 || name.length > 32) return "2 to 32 characters.";
  if (!/^[A-Za-z][A-Za-z0-9-]*$/.test(name)) return "A letter first, then letters, digits and dashes.";
  return undefined;
}
