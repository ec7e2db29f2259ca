// A sweep and its trials, kept up to date: while it goes on, the server is asked for what changed every second and a half.
import { useCallback, useEffect, useRef, useState } from "react";
import type { ApiError } from "../../lib/api";
import { getSweep, listTrials, type Sweep, type Trial } from "../../lib/sweep";
import { merged, settledUntil } from "./trials";

const EVERY = 1500;
/** After an error, and when nobody looks. */
const SELDOM = 5000;
const PAGE = 1000;

export interface LiveSweep {
  sweep: Sweep | undefined;
  trials: readonly Trial[];
  /** All that there are have come once. */
  complete: boolean;
  error: ApiError | undefined;
  reload: () => void;
  /** Puts the answer to a change in place. */
  set: (sweep: Sweep) => void;
}

export function useSweep(id: string): LiveSweep {
  const [sweep, setSweep] = useState<Sweep>();
  const [trials, setTrials] = useState<readonly Trial[]>([]);
  const [complete, setComplete] = useState(false);
  const [error, setError] = useState<ApiError>();
  const wake = useRef<() => void>(() => {});

  useEffect(() => {
    let here = true;
    let timer: ReturnType<typeof setTimeout> | undefined;
    let known: readonly Trial[] = [];
    let change: number | string | null | undefined;

    const fetchTrials = async (): Promise<void> => {
      const since = change;
      let after: number | undefined = since === undefined || since === null ? settledUntil(known) : undefined;
      if (after === -1) after = undefined;
      for (;;) {
        const page = await listTrials(id, { limit: PAGE, ...(after === undefined ? {} : { after }), ...(since === undefined || since === null ? {} : { since }) });
        if (!here) return;
        known = merged(known, page.trials);
        setTrials(known);
        // Of the first page: what changes while the others come is asked for again, rather than missed.
        if (change === since) change = page.change;
        if (page.next === null || page.trials.length === 0) return;
        after = page.next;
      }
    };
    const ask = async (): Promise<void> => {
      timer = undefined;
      let wait = document.visibilityState === "visible" ? EVERY : SELDOM;
      try {
        // First the sweep: if it has ended by then, the trials that come after it are final.
        const found = await getSweep(id);
        if (!here) return;
        await fetchTrials();
        if (!here) return;
        setSweep(found);
        setComplete(true);
        setError(undefined);
        if (found.phase === "ended") return;
      } catch (problem) {
        if (!here) return;
        setError(problem as ApiError);
        if ((problem as ApiError).status === 404) return;
        wait = SELDOM;
      }
      timer = setTimeout(() => void ask(), wait);
    };
    let asking = ask();
    wake.current = () => {
      if (timer !== undefined) clearTimeout(timer);
      asking = asking.then(() => {
        if (timer !== undefined) clearTimeout(timer);
        return here ? ask() : undefined;
      });
    };
    const back = () => document.visibilityState === "visible" && timer !== undefined && wake.current();
    document.addEventListener("visibilitychange", back);
    return () => {
      here = false;
      if (timer !== undefined) clearTimeout(timer);
      document.removeEventListener("visibilitychange", back);
    };
  }, [id]);

  const reload = useCallback(() => wake.current(), []);
  const set = useCallback((next: Sweep) => {
    setSweep(next);
    wake.current();
  }, []);
  return { sweep, trials, complete, error, reload, set };
}
