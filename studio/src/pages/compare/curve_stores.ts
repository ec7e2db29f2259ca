// The curves of all runs compared: one store a run.
import { useEffect, useState } from "react";
import { onReturn } from "../../lib/live";
import { CurveStore } from "../run/metrics/store";

/** Stores of runs that are there, kept while the run stays in the comparison. */
export function useCurveStores(ids: readonly string[]): ReadonlyMap<string, CurveStore> {
  const [stores, setStores] = useState<ReadonlyMap<string, CurveStore>>(new Map());
  const list = ids.join(",");
  useEffect(() => {
    setStores((old) => {
      const wanted = list.split(",").filter(Boolean);
      return new Map(wanted.map((id) => [id, old.get(id) ?? new CurveStore(id, undefined)]));
    });
  }, [list]);
  // Left to themselves, stores of runs that were taken away ask for nothing more; those of a page that is left are stopped.
  useEffect(() => () => setStores((old) => (old.forEach((store) => store.stop()), new Map())), []);
  useEffect(() => onReturn(() => stores.forEach((store) => store.heal())), [stores]);
  return stores;
}
