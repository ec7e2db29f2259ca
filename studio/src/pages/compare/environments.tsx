// What differs between the environments of two runs.
import { Loading, Problem } from "../../ui/base";
import { Diff } from "../../ui/diff";
import { useDetails } from "./details";
import { environmentText } from "./environment_lines";
import { usePair } from "./pair";
import type { ComparedRun } from "./comparison";

export function EnvironmentDiff({ runs }: { runs: ComparedRun[] }) {
  const details = useDetails(runs, false);
  const textOf = ({ id }: ComparedRun) => {
    const run = details.of.get(id)?.run;
    return run ? environmentText(run) : "";
  };
  const pair = usePair(runs, textOf);
  if (details.error) return <Problem error={details.error} retry={details.reload} />;
  if (!pair || details.loading) return <Loading what="the environments" />;
  const [before, after] = [textOf(pair.before), textOf(pair.after)];
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
