// Two runs of the comparison, for what can only be told of two.
import { useSearch } from "../../lib/route";
import type { ComparedRun } from "./comparison";

/** Those that the address names, else the first and one that differs from it. */
export function usePair(runs: ComparedRun[], valueOf: (run: ComparedRun) => string | null): { before: ComparedRun; after: ComparedRun; chooser: React.ReactElement } | undefined {
  const [search, change] = useSearch();
  const before = runs.find((run) => run.id === search.get("a")) ?? runs[0];
  if (!before) return undefined;
  const others = runs.filter((run) => run.id !== before.id);
  const after = runs.find((run) => run.id === search.get("b")) ?? others.find((run) => valueOf(run) !== valueOf(before)) ?? others[0];
  if (!after) return undefined;
  const select = (label: string, name: "a" | "b", chosen: ComparedRun) => (
    <label>
      {label}{" "}
      <select value={chosen.id} onChange={(event) => change({ [name]: event.target.value })}>
        {runs.map((run) => (
          <option key={run.id} value={run.id}>
            {run.label}
          </option>
        ))}
      </select>
    </label>
  );
  const chooser = (
    <div className="compare-controls">
      {select("From", "a", before)}
      {select("to", "b", after)}
      <button type="button" className="button small" onClick={() => change({ a: after.id, b: before.id })}>
        Swap
      </button>
    </div>
  );
  return { before, after, chooser };
}
