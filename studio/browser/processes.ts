// Processes of this machine, through /proc: whatever a server started and left behind.
import { readFileSync, readdirSync } from "node:fs";
import { until } from "./until";

function read(pid: string, name: string): string {
  try {
    return readFileSync(`/proc/${pid}/${name}`, "utf8");
  } catch {
    return "";
  }
}

/** Living processes that have `text` in their command line or environment. */
function processesWith(text: string): number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .filter((pid) => read(pid, "cmdline").includes(text) || read(pid, "environ").includes(text))
    .filter((pid) => !/^State:\s+[ZX]/m.test(read(pid, "status")))
    .map(Number);
}

export async function killAllWith(text: string): Promise<void> {
  await until(`no process of ${text} is left`, 20, () => {
    const left = processesWith(text);
    for (const pid of left) {
      try {
        process.kill(pid, "SIGKILL");
      } catch {
        // It ended by itself.
      }
    }
    return left.length === 0;
  });
}
