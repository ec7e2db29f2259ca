export function RunsPage(_: { workspace: string }) {
  return <h1>Runs</h1>;
}
