/** For tests: what this process has used of the processors. Unlike a clock, that does not mind a busy machine. */
export function cpuMilliseconds(): number {
  const { process } = globalThis as unknown as { process: { cpuUsage(): { user: number; system: number } } };
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}
