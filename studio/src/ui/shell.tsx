// The frame around every page: where to go, whether the page is live, who is logged in.
import { useEffect, type ReactNode } from "react";
import { reconnect, useLive, useLiveState } from "../lib/live";
import { logOut, useSession } from "../lib/session";
import { api, type Schemas } from "../lib/api";
import { useResource } from "../lib/resource";
import { navigate, usePath, workspacePath } from "../lib/route";
import { useTheme, type Theme } from "../lib/theme";
import { Button, Link, Menu } from "./base";
import { useCurrentInView } from "./current_in_view";
import { DesktopAlerts } from "./desktop_alerts";
import { Notices } from "./notify";

const PAGES = [
  ["runs", "Runs"],
  ["sweeps", "Sweeps"],
  ["experiments", "Experiments"],
  ["models", "Models"],
  ["endpoints", "Endpoints"],
  ["computes", "Computes"],
  ["environments", "Environments"],
  ["storage", "Storage"],
  ["alerts", "Alerts"],
  ["tokens", "Tokens"],
] as const;

/** There is a connection on every page, also where nothing else is told, so that the badge knows. */
function LiveBadge({ workspace }: { workspace: string }) {
  useLive(`computes/${workspace}`, () => {});
  const state = useLiveState();
  if (state === "connecting") return <span className="live" title="Connecting to the server">connecting</span>;
  if (state !== "lost") return <span className="live on" title="What you see is kept up to date">live</span>;
  return (
    <span className="live off" role="alert">
      disconnected <Button small onClick={reconnect}>Try now</Button>
    </span>
  );
}

/** Only where there is a choice. */
function WorkspaceSwitcher({ workspace, page }: { workspace: string; page: string }) {
  const list = useResource<Schemas["WorkspaceList"]>("workspaces", () => api.get("/workspaces"));
  const names = list.data?.items.map((one) => one.name) ?? [];
  if (names.length < 2) return null;
  return (
    <select className="top-workspace" aria-label="Workspace" value={workspace} onChange={(event) => navigate(workspacePath(event.target.value, page || "runs"))}>
      {(names.includes(workspace) ? names : [workspace, ...names]).map((name) => (
        <option key={name}>{name}</option>
      ))}
    </select>
  );
}

function Account() {
  const session = useSession();
  const [theme, setTheme] = useTheme();
  return (
    <Menu label={session.name} align="right">
      <p className="note">
        Logged in as <strong>{session.name}</strong>, {session.role}
      </p>
      <fieldset>
        <legend>Colours</legend>
        {(["system", "light", "dark"] as Theme[]).map((one) => (
          <label key={one}>
            <input type="radio" name="theme" checked={theme === one} onChange={() => setTheme(one)} /> {one}
          </label>
        ))}
      </fieldset>
      <Button onClick={() => void logOut().then(() => location.assign("/login"))}>Log out</Button>
    </Menu>
  );
}

/** The name of the page in the browser's tab; a run puts its own there. */
function useTitle(page: string): void {
  const path = usePath();
  const [area, , kind, name] = path;
  const title = kind === "compare" ? "Compare" : (PAGES.find(([id]) => id === page)?.[1] ?? "No such page");
  useEffect(() => {
    if (area === "w") document.title = `${name ? `${name} · ` : ""}${title} · Roost`;
  }, [area, title, name]);
}

export function Shell({ workspace, page, children }: { workspace: string; page: string; children: ReactNode }) {
  useTitle(page);
  const row = useCurrentInView(page);
  return (
    <div className="shell">
      <a className="skip" href="#main">
        Skip to the content
      </a>
      <header className="top">
        <Link href={workspacePath(workspace, "runs")} className="brand">
          Roost
        </Link>
        <WorkspaceSwitcher workspace={workspace} page={page} />
        <nav aria-label="Pages" ref={row}>
          {PAGES.map(([id, title]) => (
            <Link key={id} href={workspacePath(workspace, id)} aria-current={page === id ? "page" : undefined}>
              {title}
            </Link>
          ))}
        </nav>
        <div className="top-right">
          <LiveBadge workspace={workspace} />
          <Account />
        </div>
      </header>
      <main id="main" tabIndex={-1}>
        {children}
      </main>
      <DesktopAlerts workspace={workspace} />
      <Notices />
    </div>
  );
}
