// A sweep and its trials, kept up to date: while it goes on, the server is asked for what changed every second and a half.
import { useCallback, useEffect, useRef, useState } from "react";
import type { ApiError } from "../../lib/api";
import { isOver } from "../../lib/over";
import { getSweep, listTrials, MOST_TRIALS, type Sweep, type Trial } from "../../lib/sweep";
import { merged, settledUntil } from "./trials";

const EVERY = 1500;
/** After an error, and when nobody looks. */
const SELDOM = 5000;

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
    let wasEnded = false;

    /** Those that may have changed, and those that are new. */
    const fetchTrials = async (): Promise<void> => {
      const settled = settledUntil(known);
      for (let after = settled < 0 ? undefined : settled; ; ) {
        const page = await listTrials(id, { limit: MOST_TRIALS, ...(after === undefined ? {} : { after }) });
        if (!here) return;
        known = merged(known, page.trials);
        if (page.next === null || page.trials.length === 0) return;
        after = page.next;
      }
    };
    const ask = async (): Promise<void> => {
      timer = undefined;
      let wait = document.visibilityState === "visible" ? EVERY : SELDOM;
      try {
        const [found] = await Promise.all([getSweep(id), fetchTrials()]);
        if (!here) return;
        setSweep(found);
        setTrials(known);
        setComplete(true);
        setError(undefined);
        // The trials may have been read before the sweep ended: then once more.
        if (found.phase === "ended" && (wasEnded || known.every((trial) => isOver(trial.status)))) return;
        wasEnded = found.phase === "ended";
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
