// All versions of a model.
import { segment, type Schemas } from "../../lib/api";
import { bytes, number } from "../../lib/format";
import { runPath, workspacePath } from "../../lib/route";
import { Link, Time } from "../../ui/base";
import { TagList } from "../../ui/tags";
import { otherTags } from "./stage";
import { StageMark } from "./stage_mark";

export function Versions({ workspace, versions, chosen }: { workspace: string; versions: Schemas["Model"][]; chosen: number }) {
  return (
    <div className="scroll" tabIndex={0} role="region" aria-label="Versions">
      <table>
        <thead>
          <tr>
            <th className="number">Version</th>
            <th>Stage</th>
            <th>Registered</th>
            <th>By</th>
            <th>Run</th>
            <th className="number">Size</th>
            <th>Tags</th>
          </tr>
        </thead>
        <tbody>
          {versions.map((model) => (
            <tr key={model.version} className={model.version === chosen ? "models-chosen" : ""}>
              <td className="number">
                <Link href={`${workspacePath(workspace, `models/${segment(model.name)}`)}?version=${model.version}`} aria-current={model.version === chosen ? "true" : undefined}>
                  {number(model.version)}
                </Link>
              </td>
              <td>
                <StageMark tags={model.tags} />
              </td>
              <td>
                <Time at={model.created_at} />
              </td>
              <td>{model.created_by}</td>
              <td>{model.run ? <Link href={runPath(model.run)}>{model.run}</Link> : "–"}</td>
              <td className="number">{bytes(model.size)}</td>
              <td>
                <TagList tags={otherTags(model.tags)} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
