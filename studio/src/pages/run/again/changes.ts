// What a person has written into the form of a rerun, as the changes that the server is asked for.
import type { Schemas } from "../../../lib/api";
import { joinWords, splitWords } from "../../../lib/words";

export type Spec = Pick<Schemas["RunSpec"], "experiment"> & Partial<Schemas["RunSpec"]>;
export type Changes = Schemas["RerunChanges"];

export interface Draft {
  /** The command, or the arguments of the script. */
  line: string;
  experiment: string;
  compute: string;
  nodes: string;
  /** Name, or name:version; empty is the interpreter or the built environment of the run before. */
  environment: string;
  /** One NAME=value a line: variables that are set besides, or anew. */
  variables: string;
}

const environmentText = ({ environment }: Spec): string => (environment?.name ? `${environment.name}${environment.version ? `:${environment.version}` : ""}` : "");

export function draftOf(spec: Spec): Draft {
  return {
    line: spec.command ?? joinWords(spec.arguments ?? []),
    experiment: spec.experiment,
    compute: spec.compute ?? "",
    nodes: String(spec.node_count ?? 1),
    environment: environmentText(spec),
    variables: "",
  };
}

export type Wrong = Partial<Record<keyof Draft, string>>;

function variablesOf(text: string): Record<string, string> | undefined {
  const all: Record<string, string> = {};
  for (const line of text.split("\n").filter((one) => one.trim())) {
    const [, name, value] = /^\s*([A-Za-z_]\w*)=(.*)$/.exec(line) ?? [];
    if (!name) return undefined;
    all[name] = value!;
  }
  return all;
}

/** What differs from `spec`, and what cannot be meant. */
export function changesOf(spec: Spec, draft: Draft): { changes: Changes; wrong: Wrong } {
  const before = draftOf(spec);
  const changes: Changes = {};
  const wrong: Wrong = {};
  if (draft.line !== before.line) {
    const words = splitWords(draft.line);
    if (spec.command !== undefined) changes.command = draft.line;
    else if (words) changes.arguments = words;
    else wrong.line = "A quote is open.";
    if (spec.command !== undefined && !draft.line.trim()) wrong.line = "Say what to run.";
  }
  if (draft.experiment !== before.experiment) {
    if (/^[A-Za-z0-9][\w.-]{0,255}$/.test(draft.experiment)) changes.experiment = draft.experiment;
    else wrong.experiment = "Letters, digits, - _ and .";
  }
  if (draft.compute !== before.compute) changes.compute = draft.compute;
  if (draft.nodes !== before.nodes) {
    if (/^[1-9]\d{0,4}$/.test(draft.nodes)) changes.node_count = Number(draft.nodes);
    else wrong.nodes = "A whole number, 1 or more.";
  }
  if (draft.environment !== before.environment) {
    const [name, version] = draft.environment.trim().split(":");
    if (name) changes.environment = version ? { name, version } : { name };
    else wrong.environment = "The name of an environment.";
  }
  const variables = variablesOf(draft.variables);
  if (!variables) wrong.variables = "One NAME=value a line.";
  else if (Object.keys(variables).length > 0) changes.environment_variables = variables;
  return { changes, wrong };
}

/** What submits the code of a run of which there is nothing to repeat: one that ran where it was made, or a sweep. */
export function newRun(snapshot: string, draft: Draft): Spec {
  const [name, version] = draft.environment.trim().split(":");
  return {
    experiment: draft.experiment,
    snapshot,
    command: draft.line,
    compute: draft.compute,
    node_count: Number(draft.nodes),
    ...(name ? { environment: version ? { name, version } : { name } } : {}),
    environment_variables: variablesOf(draft.variables) ?? {},
  };
}
