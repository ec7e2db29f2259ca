// A run: its header, which is always there, and one of its tabs.
import { useEffect, type ComponentType } from "react";
import { api, segment, type Run } from "../lib/api";
import { useLive } from "../lib/live";
import { prefetch, useResource } from "../lib/resource";
import { pathParts, runPath, workspacePath } from "../lib/route";
import { rememberWorkspace } from "../lib/workspace";
import { Empty, Link, Loading, Problem, Tabs } from "../ui/base";
import { lazily } from "../ui/lazily";
import { RunHeader } from "./run/header";
import { newestSummaries } from "./run/metrics/summaries";
import { SharedRun } from "./run/shared";
import "./run/run.css";

export interface TabProps {
  run: Run;
  rest: string[];
}
const tab = (id: string, title: string, load: () => Promise<{ default: ComponentType<TabProps> }>) => ({ id, title, ...lazily<TabProps>(title.toLowerCase(), load) });

const TABS = [
  tab("", "Overview", () => import("./run/overview")),
  tab("metrics", "Metrics", () => import("./run/metrics")),
  tab("logs", "Logs", () => import("./run/logs")),
  tab("outputs", "Outputs", () => import("./run/outputs")),
  tab("code", "Code", () => import("./run/code")),
  tab("environment", "Environment", () => import("./run/environment")),
  tab("system", "System", () => import("./run/system")),
  tab("ranks", "Ranks", () => import("./run/ranks")),
  tab("children", "Children", () => import("./run/children")),
];

const runKey = (id: string): string => `run/${id}`;
const getRun = (id: string): Promise<Run> => api.get<Run>(`/runs/${segment(id)}`);

// What the first address needs is fetched at once, while the server is still asked who is logged in.
const [area, first, second = ""] = pathParts();
if (area === "runs" && first) {
  prefetch(runKey(first), () => getRun(first));
  if (second === "" || second === "metrics") prefetch(...newestSummaries(first));
  TABS.find(({ id }) => id === second)?.preload();
}

export default function RunPage({ id, tab: current, rest }: { id: string; tab: string; rest: string[] }) {
  const { data: run, error, loading, reload, set } = useResource(runKey(id), () => getRun(id));
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
  const found = TABS.find((one) => one.id === current);
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
