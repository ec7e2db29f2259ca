import { expect, it } from "vitest";
import type { Schemas } from "../../lib/api";
import { kindOf, resourcesOf } from "./facts";

const compute = (more: object) => ({ type: "AmlCompute", vm_size: "local", slurm: null, resources: { cpus: 2, memory_mb: 24_100, gpus: 0 }, ...more }) as Schemas["Compute"];

it("says what a node of this machine has", () => {
  expect(kindOf(compute({}))).toBe("this machine");
  expect(resourcesOf(compute({}))).toBe("2 CPUs, 24 GB");
  expect(resourcesOf(compute({ resources: { cpus: 1, memory_mb: 2048, gpus: 1 } }))).toBe("1 CPU, 2 GB, 1 GPU");
});

it("leaves to Slurm what only Slurm knows", () => {
  const slurm = compute({ type: "Slurm", vm_size: "", slurm: { partition: "main", cpus: 1, gres: "", account: null }, resources: { cpus: 0, memory_mb: 0, gpus: 0 } });
  expect(kindOf(slurm)).toBe("Slurm (partition main, cpus 1)");
  expect(resourcesOf(slurm)).toBe("as Slurm gives it");
});
