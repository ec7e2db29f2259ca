// Parameter importance of the trials there are, learnt anew now and then while more come.
import { useEffect, useMemo, useRef, useState } from "react";
import type { Importance } from "../../lib/importance";
import type { SweepSpec, Trial } from "../../lib/sweep";
import { parameterAxes } from "./axes";
import { endOf, valueOf } from "./trials";

/** Milliseconds from one time to the next. */
const EVERY = 5000;

/** Trials to learn from: those that ran to their end, or, while they are few, all that have a value. */
export function learntFrom(trials: readonly Trial[], least = 20): Trial[] {
  const valued = trials.filter((trial) => Number.isFinite(valueOf(trial)));
  const whole = valued.filter((trial) => endOf(trial) === "completed");
  return whole.length >= least ? whole : valued;
}

/** undefined: not known yet; null: too few trials. */
export function useImportance(space: SweepSpec["space"], trials: readonly Trial[]): Importance | null | undefined {
  const [found, setFound] = useState<Importance | null>();
  const worker = useRef<Worker>(undefined);
  const [free, setFree] = useState(0);
  const asked = useRef({ at: -Infinity, count: -1 });
  useEffect(() => {
    const made = new Worker(new URL("./importance_worker.ts", import.meta.url), { type: "module" });
    made.onmessage = (event: MessageEvent<Importance | null>) => setFound(event.data);
    worker.current = made;
    asked.current = { at: -Infinity, count: -1 };
    setFree((n) => n + 1);
    return () => made.terminate();
  }, []);
  const used = useMemo(() => learntFrom(trials), [trials]);
  const count = used.length;
  useEffect(() => {
    if (count === asked.current.count || !worker.current) return;
    const timer = setTimeout(() => {
      asked.current = { at: performance.now(), count };
      const features = parameterAxes(space, used).map((axis) => axis.values);
      worker.current?.postMessage({ features, target: used.map(valueOf) });
    }, Math.max(0, asked.current.at + EVERY - performance.now()));
    return () => clearTimeout(timer);
  }, [count, free]);
  return found;
}
