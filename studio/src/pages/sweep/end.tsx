// How a trial ended, or what it does: as a run's status, with the words of sweeps for those that were stopped or paused.
import type { Trial } from "../../lib/sweep";
import { Status } from "../../ui/base";
import { endOf } from "./trials";

export function End({ trial }: { trial: Trial }) {
  const end = endOf(trial);
  if (end === "stopped") return <span className="status sweep-stopped" data-status="stopped"><span aria-hidden="true">⊣</span> Stopped</span>;
  if (end === "paused") return <span className="status" data-status="paused"><span aria-hidden="true">‖</span> Paused</span>;
  return <Status status={trial.status} />;
}
