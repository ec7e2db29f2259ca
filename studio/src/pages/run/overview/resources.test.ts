import { expect, test } from "vitest";
import type { Run } from "../../../lib/api";
import { amounts, askedFor, hasForItself } from "./resources";

test("amounts in words, without what is not there", () => {
  expect(amounts(2, 1, 512)).toBe("2 GPUs, 1 CPU, 512 MB of memory");
  expect(amounts(0, undefined, undefined)).toBe("");
});

test("what was asked for and what is had", () => {
  const run = {
    spec: { resources: { gpus: 0 } },
    leases: [
      { node_rank: 0, node: "a", gpus: ["GPU-1"], cpus: 2, memory_mb: 1024, enforced: { cpus: "affinity", memory: "none" }, freed_at: null },
      { node_rank: 1, node: "b", gpus: [], cpus: 0, memory_mb: 0, enforced: {}, freed_at: null },
    ],
  } as unknown as Run;
  expect(askedFor(run)).toBe("no GPU on each node");
  expect(hasForItself(run)).toEqual([
    { node: "a", text: "1 GPU, 2 CPUs, 1 GB of memory", gpus: ["GPU-1"], limited: "CPUs by affinity, memory kept free, not limited" },
  ]);
  expect(askedFor({ spec: {} } as Run)).toBe("");
});
