// A run: its header, which is always there, and one of its tabs.
import { lazy, Suspense, useEffect, type ComponentType, type LazyExoticComponent } from "react";
import { api, segment, type Run } from "../lib/api";
import { useLive } from "../lib/live";
import { useResource } from "../lib/resource";
import { runPath, workspacePath } from "../lib/route";
import { Empty, Link, Loading, Problem, Tabs } from "../ui/base";
import { RunHeader } from "./run/header";
import { SharedRun } from "./run/shared";
import "./run/run.css";

export interface TabProps {
  run: Run;
  rest: string[];
}
type Tab = LazyExoticComponent<ComponentType<TabProps>>;

const TABS: [id: string, title: string, tab: Tab][] = [
  ["", "Overview", lazy(() => import("./run/overview"))],
  ["metrics", "Metrics", lazy(() => import("./run/metrics"))],
  ["logs", "Logs", lazy(() => import("./run/logs"))],
  ["outputs", "Outputs", lazy(() => import("./run/outputs"))],
  ["code", "Code", lazy(() => import("./run/code"))],
  ["environment", "Environment", lazy(() => import("./run/environment"))],
  ["system", "System", lazy(() => import("./run/system"))],
  ["ranks", "Ranks", lazy(() => import("./run/ranks"))],
  ["children", "Children", lazy(() => import("./run/children"))],
];

export default function RunPage({ id, tab, rest }: { id: string; tab: string; rest: string[] }) {
  const { data: run, error, loading, reload, set } = useResource(`run/${id}`, () => api.get<Run>(`/runs/${segment(id)}`));
  useLive(`run/${id}`, (event) => {
    if (event.type === "run") set(event.run);
    else if (event.type === "reset" || event.type === "gone") reload();
  });
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
  const found = TABS.find(([name]) => name === tab);
  const Body = found?.[2];
  return (
    <div className="run">
      <RunHeader run={run} onRun={set} />
      {error && <Problem error={error} retry={reload} />}
      <Tabs label="Parts of the run" current={tab} tabs={TABS.map(([name, text]) => ({ id: name, title: text, href: runPath(id, name) }))} />
      {Body ? (
        <Suspense fallback={<Loading what={found[1].toLowerCase()} />}>
          <SharedRun.Provider value={set}>
            <Body run={run} rest={rest} />
          </SharedRun.Provider>
        </Suspense>
      ) : (
        <Empty title="A run has no such part">
          <p>Choose one above.</p>
        </Empty>
      )}
    </div>
  );
}
