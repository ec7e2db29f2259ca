// The parts of a run's page. Each is fetched when it is first looked at.
export const TABS = [
  { id: "", title: "Overview", load: () => import("./overview") },
  { id: "metrics", title: "Metrics", load: () => import("./metrics") },
  { id: "logs", title: "Logs", load: () => import("./logs") },
  { id: "outputs", title: "Outputs", load: () => import("./outputs") },
  { id: "code", title: "Code", load: () => import("./code") },
  { id: "environment", title: "Environment", load: () => import("./environment") },
  { id: "system", title: "System", load: () => import("./system") },
  { id: "ranks", title: "Ranks", load: () => import("./ranks") },
  { id: "children", title: "Children", load: () => import("./children") },
];
