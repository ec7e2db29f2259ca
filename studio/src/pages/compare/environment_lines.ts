// The environment of a run as text that can be compared line by line.
import type { Run } from "../../lib/api";

interface Resolved {
  kind?: string;
  name?: string;
  version?: string;
  python?: string;
  digest?: string;
  lock?: string[];
  variables?: Record<string, string>;
  [more: string]: unknown;
}

export function environmentName(run: Run): string | null {
  const environment = (run.environment ?? null) as Resolved | null;
  if (run.spec.environment?.name) {
    const version = environment?.version ?? run.spec.environment.version;
    return `${run.spec.environment.name}${version ? `:${version}` : ""}`;
  }
  return environment?.name ?? environment?.python ?? run.spec.environment?.python ?? null;
}

/** Sorted keys and one fact a line, so that the same environments give the same text. */
export function environmentText(run: Run): string {
  const lines: string[] = [];
  const write = (value: unknown, path: string) => {
    if (Array.isArray(value)) {
      if (value.length === 0) return;
      lines.push(`${path}:`);
      for (const one of value) lines.push(`  - ${typeof one === "object" ? JSON.stringify(one) : String(one)}`);
    } else if (value !== null && typeof value === "object") {
      for (const key of Object.keys(value).sort()) write((value as Record<string, unknown>)[key], path ? `${path}.${key}` : key);
    } else if (value !== undefined && value !== null && value !== "") {
      lines.push(`${path}: ${String(value)}`);
    }
  };
  write(run.environment ?? {}, "");
  const variables = run.spec.environment_variables ?? {};
  for (const name of Object.keys(variables).sort()) lines.push(`variable ${name}: ${variables[name]}`);
  return lines.length > 0 ? `${lines.join("\n")}\n` : "";
}
