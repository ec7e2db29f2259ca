// The states a run went through, attempt by attempt, with the time each took.
import type { Schemas } from "../../../lib/api";

const ENDS = new Set(["Completed", "Failed", "Canceled"]);

export interface Stage {
  status: string;
  from: string;
  /** null while it lasts. */
  to: string | null;
  seconds: number;
  reason: string | null;
}
export interface Attempt {
  attempt: number;
  stages: Stage[];
  seconds: number;
  /** How it ended: a final state, or the one after which a new attempt began; null while it lasts. */
  end: string | null;
  endReason: string | null;
}

const BEFORE = new Set(["NotStarted", "Starting", "Preparing", "Queued", "Provisioning"]);

/**
 * `events` oldest first. A state lasts until the next event, the last one until `now`. The server counts an attempt up
 * when it has a node; here it begins where the run waits (again), so that its waiting belongs to it.
 */
export function attemptsOf(events: readonly Schemas["RunEvent"][], now: number): Attempt[] {
  const attempts: Attempt[] = [];
  let ran = false;
  events.forEach((event, i) => {
    let current = attempts[attempts.length - 1];
    const again = ran && BEFORE.has(event.to);
    if (current && again) {
      current.end = "tried again";
      current.endReason = event.reason;
    }
    if (!current || again) {
      current = { attempt: attempts.length + 1, stages: [], seconds: 0, end: null, endReason: null };
      attempts.push(current);
      ran = false;
    }
    ran ||= !BEFORE.has(event.to);
    if (ENDS.has(event.to)) {
      current.end = event.to;
      current.endReason = event.reason;
      return;
    }
    const to = events[i + 1]?.at ?? null;
    const seconds = Math.max(0, ((to === null ? now : Date.parse(to)) - Date.parse(event.at)) / 1000);
    current.stages.push({ status: event.to, from: event.at, to, seconds, reason: event.reason });
    current.seconds += seconds;
  });
  // What was passed through in no time is not worth a line.
  for (const attempt of attempts) {
    const kept = attempt.stages.filter((stage) => stage.to === null || stage.seconds >= 0.0005);
    if (kept.length > 0) attempt.stages = kept;
  }
  return attempts.filter((attempt) => attempt.stages.length > 0 || attempt.end !== null);
}

/** How wide each stage is drawn, in percent: in proportion, but never too narrow to be seen. */
export function widths(stages: readonly Stage[], least = 2.5): number[] {
  if (stages.length === 0) return [];
  const sum = stages.reduce((total, stage) => total + stage.seconds, 0);
  if (sum === 0) return stages.map(() => 100 / stages.length);
  const floor = Math.min(least, 100 / stages.length);
  const wide = stages.map((stage) => (100 * stage.seconds) / sum);
  const missing = wide.reduce((total, width) => total + Math.max(0, floor - width), 0);
  const spare = wide.reduce((total, width) => total + Math.max(0, width - floor), 0);
  return wide.map((width) => (width < floor ? floor : width - (missing * (width - floor)) / spare));
}
