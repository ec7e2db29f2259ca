// Python that runs do in the tests.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Roost } from "./roost";

const GATES = `
import os, sys, time
def gate(name):
    """Waits until the test opens it."""
    while not os.path.exists(os.path.join(os.environ["GATES"], name)):
        time.sleep(0.01)
`;

/** Python source in which gate(NAME) waits for open(NAME), and the environment that it needs. */
export function gated(roost: Roost, source: string): { source: string; env: Record<string, string>; open: (name: string) => void } {
  return { source: GATES + source, env: { GATES: roost.folder }, open: (name) => writeFileSync(join(roost.folder, name), "") };
}

/** Four ranks that fail a second after one of them raised. */
export const ONE_RANK_FAILS = `
import os, sys, time
rank = int(os.environ["RANK"])
for step in range(2000):
    print(f"[rank {rank}] step {step}: loss {1 / (step + 1):.4f}")
sys.stdout.flush()
if rank == 2:
    raise ValueError("the gradients of rank 2 are not finite")
time.sleep(600)
`;
