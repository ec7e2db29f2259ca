export default function ModelPage(_: { workspace: string; name: string }) {
  return <h1>ModelPage</h1>;
}
