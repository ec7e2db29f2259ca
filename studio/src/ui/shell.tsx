// The frame around every page: where to go, whether the page is live, who is logged in.
import type { ReactNode } from "react";
import { reconnect, useLiveState } from "../lib/live";
import { logOut, useSession } from "../lib/session";
import { workspacePath } from "../lib/route";
import { useTheme, type Theme } from "../lib/theme";
import { Button, Link, Menu } from "./base";
import { Notices } from "./notify";

const PAGES = [
  ["runs", "Runs"],
  ["experiments", "Experiments"],
  ["models", "Models"],
  ["computes", "Computes"],
  ["environments", "Environments"],
  ["tokens", "Tokens"],
] as const;

function LiveBadge() {
  const state = useLiveState();
  if (state !== "lost") return <span className="live on" title="What you see is kept up to date">live</span>;
  return (
    <span className="live off" role="alert">
      disconnected <Button small onClick={reconnect}>Try now</Button>
    </span>
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

export function Shell({ workspace, page, children }: { workspace: string; page: string; children: ReactNode }) {
  return (
    <div className="shell">
      <a className="skip" href="#main">
        Skip to the content
      </a>
      <header className="top">
        <Link href={workspacePath(workspace, "runs")} className="brand">
          Roost
        </Link>
        <nav aria-label="Pages">
          {PAGES.map(([id, title]) => (
            <Link key={id} href={workspacePath(workspace, id)} aria-current={page === id ? "page" : undefined}>
              {title}
            </Link>
          ))}
        </nav>
        <div className="top-right">
          <LiveBadge />
          <Account />
        </div>
      </header>
      <main id="main" tabIndex={-1}>
        {children}
      </main>
      <Notices />
    </div>
  );
}
