// Processes of this machine, through /proc: whatever a server started and left behind.
import { readFileSync, readdirSync, rmSync } from "node:fs";
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

/** Whether there was none. */
function killThoseWith(text: string): boolean {
  const left = processesWith(text);
  for (const pid of left) {
    try {
      process.kill(pid, "SIGKILL");
    } catch {
      // It ended by itself.
    }
  }
  return left.length === 0;
}

export async function killAllWith(text: string): Promise<void> {
  await until(`no process of ${text} is left`, 20, () => killThoseWith(text));
}

/** Also when this process is told to end in the middle of a test. Returns how to forget it. */
export function killAtExit(text: string, folder: string): () => void {
  const atExit = () => {
    killThoseWith(text);
    rmSync(folder, { recursive: true, force: true });
  };
  // vitest lets nobody call process.exit.
  const atSignal = () => {
    atExit();
    process.kill(process.pid, "SIGKILL");
  };
  process.once("exit", atExit);
  for (const event of ["SIGTERM", "SIGINT", "disconnect"] as const) process.once(event as "SIGTERM", atSignal);
  return () => {
    process.off("exit", atExit);
    for (const event of ["SIGTERM", "SIGINT", "disconnect"] as const) process.off(event as "SIGTERM", atSignal);
  };
}
