// The environment of a run as the server settled it. Definitions are those of Azure ML, in its spelling.
import type { Run } from "../../../lib/api";

export interface Resolved {
  kind?: string;
  name?: string;
  version?: string;
  pins?: string;
  python?: string;
  digest?: string;
  reason?: string;
  folder?: string;
  isolated?: boolean;
  lock?: string[];
  changes?: string[];
  variables?: Record<string, string>;
  image?: Record<string, unknown>;
  limits?: Record<string, unknown>;
  definition?: Record<string, unknown>;
}

export const resolvedOf = (run: Run): Resolved => (run.environment ?? {}) as Resolved;

export interface Asked {
  python?: string;
  conda: string[];
  pip: string[];
  channels: string[];
  image?: string;
  dockerfile?: string;
}

const object = (value: unknown): Record<string, unknown> => (typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {});
const strings = (value: unknown): string[] => (Array.isArray(value) ? value.filter((one): one is string => typeof one === "string") : []);
const text = (value: unknown): string | undefined => (typeof value === "string" && value !== "" ? value : undefined);

/** What the definition asks for; definitions come from users, so any part may be missing or of another form. */
export function askedOf(definition: unknown): Asked {
  const { python, docker } = object(definition);
  const conda = object(object(python).condaDependencies);
  const dependencies = Array.isArray(conda.dependencies) ? conda.dependencies : [];
  const plain = strings(dependencies);
  const asked: Asked = {
    conda: plain.filter((one) => !/^python\b/.test(one)),
    pip: dependencies.flatMap((one) => strings(object(one).pip)),
    channels: strings(conda.channels),
  };
  const version = plain.find((one) => /^python\b/.test(one));
  const [image, dockerfile] = [text(object(docker).baseImage), text(object(docker).baseDockerfile)];
  return { ...asked, ...(version ? { python: version } : {}), ...(image ? { image } : {}), ...(dockerfile ? { dockerfile } : {}) };
}

const KINDS: Record<string, string> = {
  existing: "An interpreter of the machine; nothing was built",
  building: "Being built",
  venv: "A virtual environment",
  conda: "A conda environment",
  image: "A container image",
};
export const kindText = (kind: string | undefined): string => (kind ? (KINDS[kind] ?? kind) : "Not settled yet");
