// A definition of an environment, as people read it.
export interface Definition {
  python?: {
    condaDependencies?: { channels?: string[]; dependencies?: (string | { pip?: string[] })[] } | null;
    interpreterPath?: string;
    userManagedDependencies?: boolean;
  } | null;
  docker?: { baseImage?: string | null; baseDockerfile?: string | null } | null;
  environmentVariables?: Record<string, string>;
}
export interface Packages {
  python: string | undefined;
  conda: string[];
  pip: string[];
  channels: string[];
}

export function packagesOf(definition: Definition): Packages {
  const found: Packages = { python: undefined, conda: [], pip: [], channels: definition.python?.condaDependencies?.channels ?? [] };
  for (const one of definition.python?.condaDependencies?.dependencies ?? []) {
    if (typeof one !== "string") found.pip.push(...(one.pip ?? []));
    else if (/^python\s*[=<>~!]/.test(one)) found.python = one.replace(/^python\s*=*\s*/, "");
    else found.conda.push(one);
  }
  return found;
}

/** One line: what it is made of. */
export function summaryOf(definition: Definition): string {
  if (definition.docker?.baseDockerfile) return "a Dockerfile of its own";
  if (definition.python?.userManagedDependencies) return `${definition.python.interpreterPath ?? "python"} as it is${definition.docker?.baseImage ? ` in ${definition.docker.baseImage}` : ""}`;
  const { python, conda, pip } = packagesOf(definition);
  const names = [...conda, ...pip];
  const first = names.slice(0, 6).join(", ") + (names.length > 6 ? ` and ${names.length - 6} more` : "");
  return [python && `Python ${python}`, definition.docker?.baseImage && `in ${definition.docker.baseImage}`, first].filter(Boolean).join(", ");
}

/** The whole definition with sorted keys, so that two versions can be compared line by line. */
export function definitionText(definition: unknown): string {
  const sorted = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(sorted);
    if (value === null || typeof value !== "object") return value;
    return Object.fromEntries(Object.keys(value).sort().map((key) => [key, sorted((value as Record<string, unknown>)[key])]));
  };
  return `${JSON.stringify(sorted(definition), null, 2)}\n`;
}
