// Which runs are ticked. They stay ticked while the list is filtered, so each is kept as it was last seen.
import { useCallback, useState } from "react";
import type { RunRow } from "../../lib/api";

export interface Selection {
  runs: ReadonlyMap<string, RunRow>;
  has: (id: string) => boolean;
  set: (rows: readonly RunRow[], on: boolean) => void;
  clear: () => void;
}

export function useSelection(): Selection {
  const [runs, setRuns] = useState<ReadonlyMap<string, RunRow>>(() => new Map());
  const set = useCallback((rows: readonly RunRow[], on: boolean) => {
    setRuns((old) => {
      const next = new Map(old);
      for (const row of rows) {
        if (on) next.set(row.id, row);
        else next.delete(row.id);
      }
      return next;
    });
  }, []);
  const clear = useCallback(() => setRuns(new Map()), []);
  return { runs, has: (id) => runs.has(id), set, clear };
}
