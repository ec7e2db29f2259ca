import type { TabProps } from "../run";

export default function OutputsTab(_: TabProps) {
  return <h2>OutputsTab</h2>;
}
