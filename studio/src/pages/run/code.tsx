import type { TabProps } from "../run";

export default function CodeTab(_: TabProps) {
  return <h2>CodeTab</h2>;
}
