// The limits of a sweep as someone edits them.
import type { Sweep, SweepUpdate } from "../../lib/sweep";

export interface LimitFields {
  total: string;
  concurrent: string;
}

export const limitFields = ({ spec }: Sweep): LimitFields => ({ total: String(spec.max_total_runs), concurrent: spec.max_concurrent_runs ? String(spec.max_concurrent_runs) : "" });

const whole = (text: string): number | undefined => (/^\d{1,7}$/.test(text.trim()) && Number(text) > 0 ? Number(text) : undefined);

/** What is wrong with each field; `made` trials there are already. */
export function limitProblems(fields: LimitFields, made: number): { total?: string; concurrent?: string } {
  const problems: { total?: string; concurrent?: string } = {};
  const total = whole(fields.total);
  if (total === undefined) problems.total = "A whole number of 1 or more.";
  else if (total < made) problems.total = `There are ${made} trials already.`;
  if (fields.concurrent.trim() !== "" && whole(fields.concurrent) === undefined) problems.concurrent = "A whole number of 1 or more.";
  return problems;
}

/** Only what differs; an emptied number at a time stays as it is, since it cannot be taken back. */
export function limitChange(before: LimitFields, fields: LimitFields): SweepUpdate {
  const change: SweepUpdate = {};
  if (fields.total.trim() !== before.total) change.max_total_runs = Number(fields.total);
  if (fields.concurrent.trim() !== before.concurrent && fields.concurrent.trim() !== "") change.max_concurrent_runs = Number(fields.concurrent);
  return change;
}
