export default function RunPage(_: { id: string; tab: string; rest: string[] }) {
  return <h1>RunPage</h1>;
}
