// A sweep: how far it is, what it found, and all of its trials, live while it goes on.
import { useEffect, useMemo, type ReactNode } from "react";
import { useSearch, workspacePath } from "../lib/route";
import type { Sweep, Trial } from "../lib/sweep";
import { rememberWorkspace } from "../lib/workspace";
import { Copy, Empty, Link, Loading, Problem, Status, Time } from "../ui/base";
import { brushesOf } from "./compare/brushes";
import { SweepActions } from "./sweep/actions";
import { insideOf, metricAxis, parameterAxes, scaleOfAxis } from "./sweep/axes";
import { BestSoFar } from "./sweep/best";
import { ContourChart } from "./sweep/contour_chart";
import { byImportance, ImportanceBars } from "./sweep/importance";
import { Parallel } from "./sweep/parallel";
import { Progress } from "./sweep/progress";
import { Slices } from "./sweep/slices";
import { TrialTable } from "./sweep/table";
import { valueOf } from "./sweep/trials";
import { useImportance } from "./sweep/use_importance";
import { useSweep } from "./sweep/use_sweep";
import "./compare.css";
import "./sweep.css";

function NothingYet({ sweep, trials }: { sweep: Sweep; trials: readonly Trial[] }): ReactNode {
  const { metric } = sweep.spec;
  if (trials.length === 0) {
    return (
      <Empty title={sweep.phase === "ended" ? "This sweep made no trials" : "No trials yet"}>
        <p>{sweep.phase === "ended" ? "What it says above is why." : "They show up here as soon as the sweep makes them."}</p>
      </Empty>
    );
  }
  const yet = sweep.phase === "ended" ? "" : " yet";
  if (trials.some(({ intervals }) => intervals > 0)) {
    return (
      <Empty title={`No trial has a number for ${metric.name}${yet}`}>
        <p>It was logged, but only as NaN or infinite: nothing to compare. Look at the loss, the learning rate and the data of a trial.</p>
      </Empty>
    );
  }
  return (
    <Empty title={`No trial has logged ${metric.name}${yet}`}>
      {sweep.metrics_seen.length > 0 ? (
        <p>
          Logged were {sweep.metrics_seen.map((name, i) => [i > 0 && ", ", <code key={name}>{name}</code>])}. The name must be the same to the letter, capitals too.
        </p>
      ) : (
        <p>The script logs it with</p>
      )}
      <pre>{`run.log(${JSON.stringify(metric.name)}, value)`}</pre>
    </Empty>
  );
}

function Findings({ sweep, trials }: { sweep: Sweep; trials: readonly Trial[] }) {
  const [search] = useSearch();
  const { space, metric } = sweep.spec;
  const texts = search.getAll("brush").join("\n");
  const found = useImportance(space, trials);
  const { parameters, values } = useMemo(() => ({ parameters: parameterAxes(space, trials), values: metricAxis(metric, trials) }), [trials, space.length, metric.name]);
  const { axes, scales, places } = useMemo(() => {
    const axes = [...parameters, values];
    const scales = axes.map((axis) => scaleOfAxis(axis));
    return { axes, scales, places: axes.map((axis, a) => axis.values.map((value) => scales[a]!.at(value))) };
  }, [parameters, values]);
  const brushes = useMemo(() => brushesOf(texts === "" ? [] : texts.split("\n")), [texts]);
  const inside = useMemo(
    () => insideOf(axes, places, brushes, trials.length),
    [trials, axes, places, brushes],
  );
  const shown = useMemo(() => (brushes.size === 0 ? trials : trials.filter((_, i) => inside[i])), [trials, inside, brushes]);
  const order = useMemo(() => byImportance(space, found), [space.length, found]);
  return (
    <>
      <div className="sweep-top">
        <BestSoFar sweep={sweep} trials={trials} />
        <ImportanceBars space={space} found={found} />
      </div>
      <Parallel axes={axes} scales={scales} places={places} trials={trials} inside={inside} brushes={brushes} goal={metric.goal} />
      <Slices axes={parameters} metric={values} trials={trials} />
      {parameters.length > 1 && <ContourChart axes={parameters} metric={values} trials={trials} usual={order} />}
      <TrialTable sweep={sweep} trials={shown} />
    </>
  );
}

export default function SweepPage({ id }: { id: string }) {
  const { sweep, trials, complete, error, reload, set } = useSweep(id);
  const workspace = sweep?.workspace;
  useEffect(() => {
    if (workspace) rememberWorkspace(workspace);
  }, [workspace]);
  const title = sweep ? `${sweep.experiment} · ${sweep.phase}` : "Sweep";
  useEffect(() => {
    document.title = `${title} · Roost`;
    return () => {
      document.title = "Roost";
    };
  }, [title]);
  if (!sweep) {
    if (error?.status === 404) {
      return (
        <Empty title="There is no such sweep">
          <p>
            No sweep has the id <code>{id}</code>, or you may not see it. <Link href={workspacePath("default", "sweeps")}>All sweeps</Link>
          </p>
        </Empty>
      );
    }
    return error ? <Problem error={error} retry={reload} /> : <Loading what="the sweep" />;
  }
  const valued = trials.some((trial) => Number.isFinite(valueOf(trial)));
  return (
    <div className="sweep">
      <header>
        <p className="note">
          <Link href={workspacePath(sweep.workspace, "sweeps")}>Sweeps</Link> /
        </p>
        <div className="row">
          <Status status={sweep.status} />
          {(sweep.phase === "paused" || sweep.phase === "stopping") && <span className="status sweep-phase">{sweep.phase}</span>}
          <h1>Sweep of {sweep.experiment}</h1>
          <SweepActions sweep={sweep} onSweep={set} onAdded={reload} />
        </div>
        <div className="sweep-facts note">
          <Copy text={sweep.id} />
          <span>
            created <Time at={sweep.created_at} /> by {sweep.created_by}
          </span>
          {sweep.ended_at && (
            <span>
              ended <Time at={sweep.ended_at} />
            </span>
          )}
        </div>
      </header>
      {error && <Problem error={error} retry={reload} />}
      <Progress sweep={sweep} />
      {!complete ? (
        <Loading what="trials" />
      ) : valued ? (
        <Findings sweep={sweep} trials={trials} />
      ) : (
        <>
          <NothingYet sweep={sweep} trials={trials} />
          {trials.length > 0 && <TrialTable sweep={sweep} trials={trials} />}
        </>
      )}
    </div>
  );
}
