// What the frame of a run's page and its tabs share.
import { createContext, useContext } from "react";
import { api, segment, type Run } from "../../lib/api";

/** Where the run is kept, and how it is got. */
export const runResource = (id: string): [string, () => Promise<Run>] => [`run/${id}`, () => api.get<Run>(`/runs/${segment(id)}`)];

/** Tabs may change the run (its tags): they hand the new one back to the frame. */
export const SharedRun = createContext<(run: Run) => void>(() => {});
export const useSharedRun = (): ((run: Run) => void) => useContext(SharedRun);
