import type { TabProps } from "../run";

export default function LogsTab(_: TabProps) {
  return <h2>LogsTab</h2>;
}
