export default function EnvironmentsPage(_: { workspace: string; name?: string }) {
  return <h1>EnvironmentsPage</h1>;
}
