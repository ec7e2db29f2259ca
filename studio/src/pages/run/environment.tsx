import type { TabProps } from "../run";

export default function EnvironmentTab(_: TabProps) {
  return <h2>EnvironmentTab</h2>;
}
