// What differs between the environments of two runs.
import { Diff } from "../../ui/diff";
import { environmentText } from "./environment_lines";
import { usePair } from "./pair";
import type { ComparedRun } from "./comparison";

export function EnvironmentDiff({ runs }: { runs: ComparedRun[] }) {
  const pair = usePair(runs, (run) => environmentText(run.run));
  if (!pair) return null;
  const [before, after] = [environmentText(pair.before.run), environmentText(pair.after.run)];
  return (
    <>
      {pair.chooser}
      {before === after ? (
        <p className="note">
          {before === "" ? "Neither run has an environment of its own yet: it is resolved when a run is prepared." : "Both runs have the same environment."}
        </p>
      ) : (
        <Diff before={before} after={after} name="environment" />
      )}
    </>
  );
}
