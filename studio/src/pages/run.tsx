// A run: its header, which is always there, and one of its tabs.
import { useEffect } from "react";
import type { Run } from "../lib/api";
import { useLive } from "../lib/live";
import { prefetch, useResource } from "../lib/resource";
import { pathParts, runPath, workspacePath } from "../lib/route";
import { rememberWorkspace } from "../lib/workspace";
import { Empty, Link, Loading, Problem, Tabs } from "../ui/base";
import { lazily } from "../ui/lazily";
import { RunHeader } from "./run/header";
import { newestSummaries } from "./run/metrics/summaries";
import { runResource, SharedRun } from "./run/shared";
import { TABS } from "./run/tabs";
import "./run/run.css";

export interface TabProps {
  run: Run;
  rest: string[];
}
const PARTS = TABS.map(({ id, title, load }) => ({ id, title, ...lazily<TabProps>(title.toLowerCase(), load) }));

// What the first address needs is mostly there already (src/early.ts).
const [area, first, second = ""] = pathParts();
const hasMetrics = second === "" || second === "metrics";
export const opening: Promise<unknown> | undefined =
  area === "runs" && first
    ? Promise.all([prefetch(...runResource(first)), hasMetrics ? prefetch(...newestSummaries(first)) : undefined, PARTS.find(({ id }) => id === second)?.preload()])
    : undefined;

export default function RunPage({ id, tab: current, rest }: { id: string; tab: string; rest: string[] }) {
  const { data: run, error, loading, reload, set } = useResource(...runResource(id));
  useLive(`run/${id}`, (event) => {
    if (event.type === "run") set(event.run);
    else if (event.type === "reset" || event.type === "gone") reload();
  });
  const workspace = run?.workspace;
  useEffect(() => {
    if (workspace) rememberWorkspace(workspace);
  }, [workspace]);
  const title = run ? `${run.display_name} · ${run.status}` : "Run";
  useEffect(() => {
    document.title = `${title} · Roost`;
    return () => {
      document.title = "Roost";
    };
  }, [title]);

  if (!run) {
    if (loading) return <Loading what="the run" />;
    if (error?.status === 404) {
      return (
        <Empty title="There is no such run">
          <p>
            No run has the id <code>{id}</code>, or you may not see it. <Link href={workspacePath("default", "runs")}>All runs</Link>
          </p>
        </Empty>
      );
    }
    return error ? <Problem error={error} retry={reload} /> : null;
  }
  const found = PARTS.find((one) => one.id === current);
  return (
    <div className="run">
      <RunHeader run={run} onRun={set} />
      {error && <Problem error={error} retry={reload} />}
      <Tabs label="Parts of the run" current={current} tabs={TABS.map((one) => ({ id: one.id, title: one.title, href: runPath(id, one.id) }))} />
      {found ? (
        <SharedRun.Provider value={set}>
          <found.Part run={run} rest={rest} />
        </SharedRun.Provider>
      ) : (
        <Empty title="A run has no such part">
          <p>Choose one above.</p>
        </Empty>
      )}
    </div>
  );
}
