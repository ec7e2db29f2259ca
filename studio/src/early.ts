// The first script of the page. It is small, so that the server is asked for what this address shows while the rest of the
// studio is still on its way. vite.config.ts has the browser fetch that rest, src/main.tsx, at the same time.
import { apiUrl, segment } from "./lib/api";
import { askEarly } from "./lib/early";
import { MOST_TRIALS, sweepUrl, trialsUrl } from "./lib/sweep";
import { TABS } from "./pages/run/tabs";
import { firstPage } from "./pages/runs/request";
import { stateOf } from "./pages/runs/state";
import { usualColumns } from "./pages/runs/usual_columns";

// What goes wrong here is not told: the page asks again, and tells.
const ignore = () => {};

function askForRun(id: string, tab: string, search: URLSearchParams): void {
  const path = `/runs/${segment(id)}`;
  askEarly(apiUrl(path));
  if ((tab === "" || tab === "metrics") && !search.has("attempt")) askEarly(apiUrl(`${path}/metrics`));
  if (tab === "logs") askEarly(apiUrl(`${path}/logs`));
  import("./pages/run").catch(ignore);
  TABS.find((one) => one.id === tab)?.load().catch(ignore);
}

function askForSweep(id: string): void {
  askEarly(apiUrl(sweepUrl(id)));
  askEarly(apiUrl(trialsUrl(id), { limit: MOST_TRIALS }));
  import("./pages/sweep").catch(ignore);
}

function askFor([area, first, second = ""]: string[], search: URLSearchParams): void {
  if (area === "login") return;
  askEarly(apiUrl("/session"));
  if (area === "runs" && first) askForRun(first, second, search);
  if (area === "sweeps" && first) askForSweep(first);
  if (area !== "w" || !first || second !== "runs") return;
  const state = stateOf(search, usualColumns(first));
  if (state.group === "") askEarly(apiUrl(...firstPage(first, state)));
}

askFor(location.pathname.split("/").filter(Boolean).map(decodeURIComponent), new URLSearchParams(location.search));
void import("./main");
