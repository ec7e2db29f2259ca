export default function ModelsPage(_: { workspace: string }) {
  return <h1>ModelsPage</h1>;
}
