// Which page an address shows. Pages are loaded when they are first asked for.
import { useEffect, useRef, useState, type ReactNode } from "react";
import { api, onLoggedOut, type ApiError, type Session } from "./lib/api";
import { navigate, usePath } from "./lib/route";
import { SessionContext } from "./lib/session";
import { rememberWorkspace, useLastWorkspace } from "./lib/workspace";
import { Empty, Loading, Problem } from "./ui/base";
import { lazily } from "./ui/lazily";
import { Shell } from "./ui/shell";
import { LoginPage } from "./pages/login";
import { RunsPage } from "./pages/runs";

const { Part: RunPage, preload: preloadRun } = lazily("the run", () => import("./pages/run"));
const { Part: ComparePage } = lazily("the comparison", () => import("./pages/compare"));
const { Part: SweepPage, preload: preloadSweep } = lazily("the sweep", () => import("./pages/sweep"));
const { Part: SweepsPage } = lazily("sweeps", () => import("./pages/sweeps"));
const { Part: ExperimentsPage } = lazily("experiments", () => import("./pages/experiments"));
const { Part: ModelsPage } = lazily("models", () => import("./pages/models"));
const { Part: ModelPage } = lazily("the model", () => import("./pages/model"));
const { Part: EndpointsPage } = lazily("endpoints", () => import("./pages/endpoints"));
const { Part: ComputesPage } = lazily("computes", () => import("./pages/computes"));
const { Part: EnvironmentsPage } = lazily("environments", () => import("./pages/environments"));
const { Part: StoragePage } = lazily("storage", () => import("./pages/storage"));
const { Part: AlertsPage } = lazily("alerts", () => import("./pages/alerts"));
const { Part: TokensPage } = lazily("tokens", () => import("./pages/tokens"));

/** Who is logged in, as it was when the page was opened. */
const firstSession = location.pathname === "/login" ? undefined : api.get<Session>("/session");
let known: Session | undefined;
/** When there is something to draw; mostly at once (src/early.ts). */
export const opened: Promise<unknown> = Promise.all([
  firstSession?.then((session) => (known = session), () => {}),
  location.pathname.startsWith("/runs/") ? preloadRun() : undefined,
  location.pathname.startsWith("/sweeps/") ? preloadSweep() : undefined,
]);

function pageOf(path: string[]): { page: string; body: ReactNode } | undefined {
  const [area, first, second, third] = path;
  if (area === "runs" && first) return { page: "runs", body: <RunPage key={first} id={first} tab={second ?? ""} rest={path.slice(3)} /> };
  if (area === "sweeps" && first) return { page: "sweeps", body: <SweepPage key={first} id={first} /> };
  if (area !== "w" || !first) return undefined;
  const workspace = first;
  switch (second) {
    case "runs":
      return { page: "runs", body: <RunsPage workspace={workspace} /> };
    case "compare":
      return { page: "runs", body: <ComparePage workspace={workspace} /> };
    case "sweeps":
      return { page: "sweeps", body: <SweepsPage workspace={workspace} /> };
    case "experiments":
      return { page: "experiments", body: <ExperimentsPage workspace={workspace} /> };
    case "models":
      return { page: "models", body: third ? <ModelPage workspace={workspace} name={third} /> : <ModelsPage workspace={workspace} /> };
    case "endpoints":
      return { page: "endpoints", body: <EndpointsPage workspace={workspace} name={third} tab={path[4] ?? ""} /> };
    case "computes":
      return { page: "computes", body: <ComputesPage workspace={workspace} name={third} /> };
    case "environments":
      return { page: "environments", body: <EnvironmentsPage workspace={workspace} name={third} /> };
    case "storage":
      return { page: "storage", body: <StoragePage workspace={workspace} /> };
    case "alerts":
      return { page: "alerts", body: <AlertsPage workspace={workspace} /> };
    case "tokens":
      return { page: "tokens", body: <TokensPage /> };
  }
  return undefined;
}

export function App() {
  const path = usePath();
  const last = useLastWorkspace();
  const workspace = path[0] === "w" && path[1] ? path[1] : last;
  useEffect(() => rememberWorkspace(workspace), [workspace]);
  const [session, setSession] = useState<Session | null | undefined>(known);
  const [problem, setProblem] = useState<ApiError>();
  const asked = useRef(firstSession);
  const atLogin = path[0] === "login";

  useEffect(() => {
    if (atLogin) return;
    (asked.current ?? api.get<Session>("/session")).then(setSession, (error: ApiError) => (error.status === 401 ? setSession(null) : setProblem(error)));
    asked.current = undefined;
    return onLoggedOut(() => setSession(null));
  }, [atLogin, problem === undefined]);
  // Before anybody is known there is no connection that could tell: it asks now and then until there is an answer.
  useEffect(() => {
    if (!problem || session) return;
    const timer = setTimeout(() => setProblem(undefined), 2000);
    return () => clearTimeout(timer);
  }, [problem, session]);
  useEffect(() => {
    if (session === null && !atLogin) navigate(`/login?next=${encodeURIComponent(location.pathname + location.search)}`, true);
    else if (path.length === 0) navigate(`/w/${encodeURIComponent(workspace)}/runs`, true);
  }, [session, atLogin, path.length]);

  if (atLogin) {
    return (
      <LoginPage
        onLogin={(made, next) => {
          setSession(made);
          navigate(next, true);
        }}
      />
    );
  }
  if (problem) return <Problem error={problem} retry={() => location.reload()} />;
  if (!session) return <Loading what="Roost" />;
  const found = pageOf(path);
  return (
    <SessionContext.Provider value={session}>
      <Shell workspace={workspace} page={found?.page ?? ""}>
        {found?.body ?? (
          <Empty title="There is no such page">
            <p>Choose one above.</p>
          </Empty>
        )}
      </Shell>
    </SessionContext.Provider>
  );
}
