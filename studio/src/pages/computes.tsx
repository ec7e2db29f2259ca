export default function ComputesPage(_: { workspace: string; name?: string }) {
  return <h1>ComputesPage</h1>;
}
