import type { TabProps } from "../run";

export default function SystemTab(_: TabProps) {
  return <h2>SystemTab</h2>;
}
