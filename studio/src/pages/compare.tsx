export default function ComparePage(_: { workspace: string }) {
  return <h1>ComparePage</h1>;
}
