// What somebody pastes or drops into the form of a new environment, as a definition.
import type { Definition } from "./definition";

export type Kind = "requirements" | "conda" | "dockerfile";
export interface Pasted {
  definition?: Definition;
  wrong?: string;
}

/** What a text looks like; the form may say otherwise. */
export function kindOf(text: string, fileName = ""): Kind {
  if (/(^|\.)dockerfile($|\.)|containerfile/i.test(fileName) || /^\s*(#.*\n\s*)*(FROM|ARG)\s+\S/i.test(text)) return "dockerfile";
  if (/\.ya?ml$/i.test(fileName) || /^\s*(dependencies|channels|name)\s*:/m.test(text)) return "conda";
  return "requirements";
}

function requirements(text: string): Pasted {
  const lines = text
    .replace(/\\\n/g, " ")
    .split("\n")
    .map((line) => line.replace(/(^|\s)#.*$/, "").replace(/\s--hash.*$/, "").trim())
    .filter(Boolean);
  const foreign = lines.find((line) => /^(-r|--requirement|-e|--editable|-c|--constraint|\.)/.test(line));
  if (foreign) return { wrong: `“${foreign}” names a file of another machine: put its lines here instead` };
  if (lines.length === 0) return { wrong: "one package a line, like torch==2.3" };
  return { definition: { python: { userManagedDependencies: false, condaDependencies: { dependencies: [{ pip: lines }] } } } };
}

// Lists of names and one list below "pip:" are all that conda writes into such a file; anything else is told, not guessed.
function conda(text: string): Pasted {
  const channels: string[] = [];
  const packages: string[] = [];
  const pip: string[] = [];
  let part = "";
  let pipAt = -1;
  for (const [index, whole] of text.split("\n").entries()) {
    const line = whole.replace(/(^|\s)#.*$/, "").trimEnd();
    if (line.trim() === "" || line.trim() === "---") continue;
    const key = /^(\w+)\s*:\s*(.*)$/.exec(line);
    if (key) {
      part = key[1] ?? "";
      pipAt = -1;
      continue;
    }
    const item = /^(\s*)-\s*(.+)$/.exec(line);
    if (!item || (part !== "channels" && part !== "dependencies")) return { wrong: `line ${index + 1} is not understood: ${line.trim()}` };
    const indent = (item[1] ?? "").length;
    const value = (item[2] ?? "").replace(/^(["'])(.*)\1$/, "$2");
    if (part === "channels") channels.push(value);
    else if (/^pip\s*:$/.test(value)) pipAt = indent;
    else if (pipAt >= 0 && indent > pipAt) pip.push(value);
    else {
      pipAt = -1;
      packages.push(value);
    }
  }
  if (packages.length + pip.length === 0) return { wrong: "there is nothing below “dependencies:”" };
  const dependencies: (string | { pip: string[] })[] = [...packages];
  if (pip.length > 0) dependencies.push({ pip });
  return { definition: { python: { userManagedDependencies: false, condaDependencies: { channels, dependencies } } } };
}

export function definitionOf(text: string, kind: Kind): Pasted {
  if (text.trim() === "") return {};
  if (kind === "requirements") return requirements(text);
  if (kind === "conda") return conda(text);
  if (!/^\s*FROM\s+\S/im.test(text)) return { wrong: "a Dockerfile has a line FROM" };
  return { definition: { python: { userManagedDependencies: true }, docker: { baseDockerfile: text } } };
}
