// Every page of the studio, with words that are there once it has loaded.
export interface PageAddress {
  name: string;
  path: string;
  /** A text or heading that shows that the page is whole. */
  ready: string;
}

export const LISTS: PageAddress[] = [
  { name: "runs", path: "/w/default/runs", ready: "Runs" },
  { name: "compare", path: "/w/default/compare", ready: "Compare runs" },
  { name: "sweeps", path: "/w/default/sweeps", ready: "Sweeps" },
  { name: "experiments", path: "/w/default/experiments", ready: "Experiments" },
  { name: "models", path: "/w/default/models", ready: "Models" },
  { name: "endpoints", path: "/w/default/endpoints", ready: "Endpoints" },
  { name: "computes", path: "/w/default/computes", ready: "Computes" },
  { name: "environments", path: "/w/default/environments", ready: "Environments" },
  { name: "storage", path: "/w/default/storage", ready: "Storage" },
  { name: "alerts", path: "/w/default/alerts", ready: "Alerts" },
  { name: "tokens", path: "/w/default/tokens", ready: "Tokens" },
];

export const TABS = ["", "metrics", "logs", "outputs", "code", "environment", "system", "ranks", "children"];
