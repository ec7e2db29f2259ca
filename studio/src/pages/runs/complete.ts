// What the search box offers while a term is typed.
import { fieldName, quoted } from "./query";

export interface Completion {
  text: string;
  hint: string;
}
export interface Offer {
  /** The part of the text that a choice replaces. */
  from: number;
  to: number;
  items: Completion[];
}
export interface Known {
  metrics: string[];
  params: string[];
  tags: string[];
  /** Values of a field such as experiment or tags.owner, as far as they are known. */
  values: (field: string) => string[];
}

const STATUSES = ["active", "ended", "queued", "running", "completed", "failed", "canceled", "starting", "preparing", "provisioning", "finalizing", "cancelrequested", "notresponding"];
const KINDS = ["archived", "any", "child", "top", "deleted"];
const FIELDS: [string, string][] = [
  ["status:", "failed, running, active …"],
  ["experiment:", "its experiment"],
  ["user:", "who submitted it"],
  ["compute:", "where it runs"],
  ["name:", "a part of its name"],
  ["duration>", "how long it ran, as 1h or 90s"],
  ["age<", "how long ago, as 2d"],
  ["created>", "a date, as 2026-11-01"],
  ["is:", "archived, any, child, top, deleted"],
  ["tags.", "a tag"],
  ["params.", "a parameter"],
  ["metrics.", "the last value of a metric"],
  ["started>", "a date"],
  ["ended>", "a date"],
  ["parent:", "children of a run, by its id"],
  ["type:", "kind of run"],
  ["id:", "a part of its id"],
];
const SIGNS = /!=|<=|>=|[:=<>]/;
const MOST = 12;

/** The term around the caret: quotes hold blanks together. */
function termAt(text: string, caret: number): { from: number; to: number } {
  let from = 0;
  let open = false;
  for (let i = 0; i < caret; i += 1) {
    if (text[i] === '"') open = !open;
    else if (!open && /[\s()]/.test(text[i]!)) from = i + 1;
  }
  let to = caret;
  while (to < text.length && (open ? text[to] !== '"' : !/[\s()]/.test(text[to]!))) to += 1;
  if (open && text[to] === '"') to += 1;
  if (text[from] === "-") from += 1;
  return { from, to };
}

const plain = (text: string): string => text.replace(/"/g, "").toLowerCase();

function pick(candidates: Completion[], typed: string): Completion[] {
  const wanted = plain(typed);
  const starts = candidates.filter((one) => plain(one.text).startsWith(wanted));
  const holds = candidates.filter((one) => !plain(one.text).startsWith(wanted) && plain(one.text).includes(wanted));
  return [...starts, ...holds].slice(0, MOST);
}

function fieldsFor(known: Known): Completion[] {
  const named = (kind: "metrics" | "params" | "tags", sign: string, hint: string) =>
    known[kind].map((name) => ({ text: `${fieldName(`${kind}.${name}`)}${sign}`, hint }));
  return [
    ...FIELDS.map(([text, hint]) => ({ text, hint })),
    ...named("metrics", "<", "metric"),
    ...named("params", "=", "parameter"),
    ...named("tags", "=", "tag"),
  ];
}

function valuesFor(field: string, known: Known): string[] {
  if (field === "status") return STATUSES;
  if (field === "is") return KINDS;
  return known.values(field);
}

export function complete(text: string, caret: number, known: Known): Offer {
  const { from, to } = termAt(text, caret);
  const term = text.slice(from, to);
  const sign = SIGNS.exec(term);
  if (!sign || from + sign.index >= caret) {
    const typed = text.slice(from, caret);
    if (typed === "" && text.trim() !== "" && !/\s$/.test(text.slice(0, caret))) return { from, to, items: [] };
    const items = pick(fieldsFor(known), typed);
    return { from, to, items: typed === "" ? items.slice(0, MOST) : items };
  }
  const field = term.slice(0, sign.index).replace(/"/g, "");
  const before = term.slice(0, sign.index + sign[0].length);
  const start = from + before.length + Math.max(0, text.slice(from + before.length, caret).lastIndexOf(",") + 1);
  const typed = text.slice(start, caret);
  const values = valuesFor(field, known).map((value) => ({ text: quoted(value), hint: field }));
  const items = pick(values, typed).filter((one) => one.text !== text.slice(start, to));
  return { from: start, to, items };
}

/** The text after a choice, and where the caret then stands: behind a blank if the term is whole. */
export function accept(text: string, offer: Offer, choice: Completion): { text: string; caret: number } {
  const whole = !/[.:=<>]$/.test(choice.text);
  const rest = text.slice(offer.to);
  const blank = whole && !rest.startsWith(" ") ? " " : "";
  const head = text.slice(0, offer.from) + choice.text + blank;
  return { text: head + rest, caret: head.length + (whole && blank === "" ? 1 : 0) };
}

/** A term, a quote or a parenthesis is still being typed: to ask the server would only bring a complaint. */
export function isHalf(text: string): boolean {
  if ((text.match(/(?<!\\)"/g) ?? []).length % 2 === 1) return true;
  const bare = text.replace(/"(\\.|[^"\\])*"/g, "q");
  if ((bare.match(/\(/g) ?? []).length > (bare.match(/\)/g) ?? []).length) return true;
  return /([:=<>!,]|(^|[\s(-])(tags|params|metrics)\.|(^|[\s(])(-|or|and|not))\s*$/i.test(bare);
}

/** The field whose values the caret asks for, if the page has to fetch them. */
export function fieldAt(text: string, caret: number): string | null {
  const { from, to } = termAt(text, caret);
  const term = text.slice(from, to);
  const sign = SIGNS.exec(term);
  if (!sign || from + sign.index >= caret) return null;
  const field = term.slice(0, sign.index).replace(/"/g, "");
  return /^(experiment|user|compute)$/.test(field) || /^(tags|params)\../.test(field) ? field : null;
}
