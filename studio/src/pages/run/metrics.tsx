import type { TabProps } from "../run";

export default function MetricsTab(_: TabProps) {
  return <h2>MetricsTab</h2>;
}
