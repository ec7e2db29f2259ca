import { ComputeList } from "./computes/list";
import { OneCompute } from "./computes/one";
import "./computes.css";

export default function ComputesPage({ workspace, name }: { workspace: string; name?: string | undefined }) {
  return name ? <OneCompute key={name} workspace={workspace} name={name} /> : <ComputeList workspace={workspace} />;
}
