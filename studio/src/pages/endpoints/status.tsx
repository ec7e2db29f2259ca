import type { EndpointState } from "../../lib/endpoint";
import { LOOKS, REPLICA_LOOKS } from "./facts";

const MARKS: Record<string, string> = { Healthy: "✓", Transitioning: "⚙", Unhealthy: "!", Unschedulable: "◷", Failed: "✕", ready: "✓", starting: "⚙", stopping: "⤓", failed: "✕" };

export function EndpointStatus({ state }: { state: EndpointState }) {
  return (
    <span className={`status ${LOOKS[state] ?? ""}`} data-status={state}>
      <span aria-hidden="true">{MARKS[state] ?? "·"}</span> {state}
    </span>
  );
}

export function ReplicaStatus({ state }: { state: string }) {
  return (
    <span className={`status ${REPLICA_LOOKS[state] ?? ""}`} data-status={state}>
      <span aria-hidden="true">{MARKS[state] ?? "·"}</span> {state}
    </span>
  );
}
