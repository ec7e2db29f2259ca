// What a compute is, in words.
import type { Schemas } from "../../lib/api";
import { count } from "../../lib/format";

type Compute = Schemas["Compute"];

export function kindOf(compute: Compute): string {
  if (compute.type === "Slurm") return `Slurm${slurmOf(compute) ? ` (${slurmOf(compute)})` : ""}`;
  return compute.vm_size === "local" ? "this machine" : `${compute.vm_size} on this machine`;
}

export function resourcesOf(compute: Compute): string {
  const { cpus, memory_mb, gpus } = compute.resources;
  if (cpus === 0) return "as Slurm gives it";
  const parts = [`${cpus} CPU${cpus === 1 ? "" : "s"}`, `${count(Math.round(memory_mb / 1024))} GB`];
  if (gpus > 0) parts.push(`${gpus} GPU${gpus === 1 ? "" : "s"}`);
  return parts.join(", ");
}

export function stateOf(compute: Compute): string {
  if (compute.provisioning_state !== "Succeeded") return compute.provisioning_state;
  return compute.allocation_state === "Resizing" ? "Resizing" : "Ready";
}

export function slurmOf(compute: Compute): string {
  return Object.entries(compute.slurm ?? {})
    .filter(([, value]) => value !== "" && value !== 0 && value !== null)
    .map(([name, value]) => `${name} ${String(value)}`)
    .join(", ");
}
