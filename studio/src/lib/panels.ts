// How single charts of a page are shown, as the address (and so a saved view) keeps it: ?panel=min:0,w:2~train/loss,
// and their order: ?order=NAME&order=NAME.
import { useCallback, useMemo } from "react";
import { useSearch } from "./route";

export type PanelKind = "bars" | "box";
export interface PanelSettings {
  /** Ends of the y axis. */
  min?: number;
  max?: number;
  /** Percent of the values that may lie outside. */
  cut?: number;
  /** Of this chart, whatever the page says. */
  log?: boolean;
  /** The last values in place of the curves. */
  kind?: PanelKind;
  /** Columns and heights that it takes, 1 to 4. */
  w?: number;
  h?: number;
}
export const LARGEST = 4;

const KEYS = ["min", "max", "cut", "log", "kind", "w", "h"] as const;

export function panelText(name: string, settings: PanelSettings): string | null {
  const words = KEYS.flatMap((key) => (settings[key] === undefined ? [] : [`${key}:${settings[key] === true ? 1 : settings[key] === false ? 0 : settings[key]}`]));
  return words.length === 0 ? null : `${words.join(",")}~${name}`;
}

function settingsOfText(text: string): PanelSettings {
  const found: PanelSettings = {};
  for (const word of text.split(",")) {
    const [key, value = ""] = word.split(":");
    const number = Number(value);
    if (key === "kind" && (value === "bars" || value === "box")) found.kind = value;
    if (value === "" || !Number.isFinite(number)) continue;
    if (key === "min" || key === "max") found[key] = number;
    if (key === "cut" && number > 0 && number < 100) found.cut = number;
    if (key === "log") found.log = number === 1;
    if ((key === "w" || key === "h") && number > 1) found[key] = Math.min(LARGEST, Math.round(number));
  }
  return found;
}

/** By name of the chart; what cannot be read is as if it were not there. */
export function panelsOf(texts: readonly string[]): Map<string, PanelSettings> {
  const found = new Map<string, PanelSettings>();
  for (const text of texts) {
    const tilde = text.indexOf("~");
    if (tilde > 0) found.set(text.slice(tilde + 1), settingsOfText(text.slice(0, tilde)));
  }
  return found;
}

/** Those that were put in order first, as far as they are there; then the others as they come. */
export function inOrder(names: readonly string[], order: readonly string[]): string[] {
  const known = order.filter((name, i) => names.includes(name) && order.indexOf(name) === i);
  return [...known, ...names.filter((name) => !known.includes(name))];
}

/** `name` comes to where `target` is. */
export function movedTo(names: readonly string[], name: string, target: string): string[] {
  const [from, to] = [names.indexOf(name), names.indexOf(target)];
  if (from < 0 || to < 0 || from === to) return [...names];
  const next = names.filter((one) => one !== name);
  next.splice(to, 0, name);
  return next;
}

const NONE: PanelSettings = {};

export interface Panels {
  of: (name: string) => PanelSettings;
  change: (name: string, change: { [K in keyof PanelSettings]?: PanelSettings[K] | undefined }) => void;
  order: readonly string[];
  setOrder: (names: readonly string[]) => void;
}

export function usePanels(): Panels {
  const [search, setSearch] = useSearch();
  const [text, order] = [search.getAll("panel").join("\n"), search.getAll("order").join("\n")];
  const known = useMemo(() => panelsOf(text.split("\n")), [text]);
  const change = useCallback<Panels["change"]>(
    (name, values) => {
      const now = panelsOf(new URLSearchParams(location.search).getAll("panel"));
      const next = Object.fromEntries(Object.entries({ ...now.get(name), ...values }).filter(([, value]) => value !== undefined)) as PanelSettings;
      now.set(name, next);
      setSearch({ panel: [...now].flatMap(([one, settings]) => panelText(one, settings) ?? []) });
    },
    [setSearch],
  );
  const setOrder = useCallback((names: readonly string[]) => setSearch({ order: [...names] }), [setSearch]);
  return useMemo(() => ({ of: (name) => known.get(name) ?? NONE, change, order: order === "" ? [] : order.split("\n"), setOrder }), [known, change, order, setOrder]);
}
