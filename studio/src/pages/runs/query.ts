// Parts of queries that the page itself adds to what the user typed.
import type { TableState } from "./state";

/** A value as one word of the query language. */
export function quoted(value: string): string {
  return /^[^\s"(),:=<>!\\-][^\s"(),:=<>!\\]*$/.test(value) && !/^(and|or|not)$/i.test(value) ? value : `"${value.replace(/["\\]/g, "\\$&")}"`;
}

/** "params.learning rate" needs quotes around the name alone. */
export function fieldName(field: string): string {
  const dot = field.indexOf(".");
  return dot < 0 ? field : `${field.slice(0, dot + 1)}${quoted(field.slice(dot + 1))}`;
}

export function both(a: string, b: string): string {
  const whole = (query: string) => (/\bor\b/i.test(query) ? `(${query})` : query);
  return [a.trim(), b.trim()].filter(Boolean).map(whole).join(" ");
}

/** Children are listed under their parents, unless the user asks for them. */
export function listQuery({ q, children }: Pick<TableState, "q" | "children">): string {
  return children || /\b(parent|is):/i.test(q.replace(/\bis:(archived|any)\b/gi, "")) ? q.trim() : both(q, "is:top");
}

export const childQuery = (id: string): string => `parent:${id} is:any`;

/** `all` are the values of all groups: what has none of them lacks the field. */
export function groupQuery(by: string, value: string | null, all: readonly (string | null)[]): string {
  const field = fieldName(by);
  if (value === null && by.includes(".")) return `-${field}`;
  if (value === null) {
    const others = all.flatMap((one) => (one ? [quoted(one)] : []));
    return others.length > 0 ? `-${field}:${others.join(",")}` : "";
  }
  return `${field}${by.includes(".") ? "=" : ":"}${quoted(value)}`;
}
