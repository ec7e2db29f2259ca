import { EnvironmentList } from "./environments/list";
import { OneEnvironment } from "./environments/one";
import "./environments.css";

export default function EnvironmentsPage({ workspace, name }: { workspace: string; name?: string | undefined }) {
  return name ? <OneEnvironment key={name} workspace={workspace} name={name} /> : <EnvironmentList workspace={workspace} />;
}
