// Endpoints: what answers requests with models.
import { EndpointList } from "./endpoints/list";
import { OneEndpoint } from "./endpoints/one";
import "./endpoints.css";

export default function EndpointsPage({ workspace, name, tab }: { workspace: string; name?: string | undefined; tab: string }) {
  return name ? <OneEndpoint key={`${workspace}/${name}`} workspace={workspace} name={name} tab={tab} /> : <EndpointList workspace={workspace} />;
}
