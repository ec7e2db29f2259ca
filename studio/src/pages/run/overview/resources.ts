// What a run asked for of its nodes, and what it has of the machine for itself.
import type { Run, Schemas } from "../../../lib/api";

/** As people ask for it: a GB is 1024 MB. */
function memory(megabytes: number): string {
  return megabytes < 1024 ? `${megabytes} MB` : `${Number((megabytes / 1024).toFixed(1))} GB`;
}

function count(n: number, noun: string): string {
  return `${n} ${noun}${n === 1 ? "" : "s"}`;
}

/** "2 GPUs, 4 CPUs, 16 GB of memory"; "" for nothing. */
export function amounts(gpus: number | undefined, cpus: number | undefined, memoryMb: number | undefined): string {
  const parts = [gpus && count(gpus, "GPU"), cpus && count(cpus, "CPU"), memoryMb && `${memory(memoryMb)} of memory`];
  return parts.filter(Boolean).join(", ");
}

export function askedFor(run: Run): string {
  const asked: Schemas["ResourceAsk"] | undefined = run.spec.resources;
  if (!asked) return "";
  const all = amounts(asked.gpus, asked.cpus, asked.memory_mb) || "no GPU";
  return `${all} on each node`;
}

/** By node, with the names of its GPUs. */
export function hasForItself(run: Run): { node: string; text: string; gpus: string[]; limited: string }[] {
  return (run.leases ?? [])
    .map((lease) => {
      const how = [lease.cpus > 0 && lease.enforced.cpus && `CPUs by ${lease.enforced.cpus}`, lease.memory_mb > 0 && memoryHow(lease.enforced.memory)];
      return { node: lease.node, text: amounts(lease.gpus.length, lease.cpus, lease.memory_mb), gpus: lease.gpus, limited: how.filter(Boolean).join(", ") };
    })
    .filter((lease) => lease.text !== "");
}

function memoryHow(enforced: string | undefined): string {
  if (enforced === "cgroup") return "memory by cgroup";
  return enforced === "none" ? "memory kept free, not limited" : "";
}
