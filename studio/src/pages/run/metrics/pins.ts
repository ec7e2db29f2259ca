// Metrics that are kept at the top: a habit of one person, the same for all runs of an experiment.
import { useCallback, useState } from "react";
import type { Run } from "../../../lib/api";

const keyOf = ({ workspace, experiment }: Pick<Run, "workspace" | "experiment">): string => `roost.pins.${workspace}/${experiment}`;
export const readPins = (run: Pick<Run, "workspace" | "experiment">): string[] => read(keyOf(run));

function read(key: string): string[] {
  try {
    const found: unknown = JSON.parse(localStorage.getItem(key) ?? "[]");
    return Array.isArray(found) ? found.filter((one) => typeof one === "string") : [];
  } catch {
    return [];
  }
}

export function usePins(run: Run): [string[], (name: string) => void] {
  const key = keyOf(run);
  const [pins, setPins] = useState(() => read(key));
  const toggle = useCallback(
    (name: string) =>
      setPins((old) => {
        const next = old.includes(name) ? old.filter((one) => one !== name) : [...old, name];
        localStorage.setItem(key, JSON.stringify(next));
        return next;
      }),
    [key],
  );
  return [pins, toggle];
}
