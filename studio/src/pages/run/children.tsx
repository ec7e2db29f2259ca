import type { TabProps } from "../run";

export default function ChildrenTab(_: TabProps) {
  return <h2>ChildrenTab</h2>;
}
