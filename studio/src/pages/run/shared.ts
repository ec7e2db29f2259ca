// Tabs may change the run (its tags): they hand the new one back to the frame.
import { createContext, useContext } from "react";
import type { Run } from "../../lib/api";

export const SharedRun = createContext<(run: Run) => void>(() => {});
export const useSharedRun = (): ((run: Run) => void) => useContext(SharedRun);
