import type { TabProps } from "../run";

export default function RanksTab(_: TabProps) {
  return <h2>RanksTab</h2>;
}
