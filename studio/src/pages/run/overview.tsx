import type { TabProps } from "../run";

export default function OverviewTab(_: TabProps) {
  return <h2>OverviewTab</h2>;
}
