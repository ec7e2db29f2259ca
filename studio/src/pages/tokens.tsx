export default function TokensPage() {
  return <h1>Tokens</h1>;
}
