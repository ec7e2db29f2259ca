export default function ExperimentsPage(_: { workspace: string }) {
  return <h1>ExperimentsPage</h1>;
}
