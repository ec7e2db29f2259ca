// Built environments of the machine.
import { useState } from "react";
import { api, segment, type Schemas } from "../../lib/api";
import { bytes, count } from "../../lib/format";
import { useFresh, useResource } from "../../lib/resource";
import { useMay } from "../../lib/session";
import { Button, Copy, Dialog, Loading, Problem, Time } from "../../ui/base";
import { FormDialog } from "../../ui/form";
import { notify } from "../../ui/notify";
import { BuildLog } from "./build_log";

type Built = Schemas["BuiltEnvironment"];

export function LockList({ built }: { built: Built }) {
  return (
    <>
      {built.changes.length > 0 && (
        <>
          <p>Versions that could not be had were replaced:</p>
          <ul>
            {built.changes.map((one) => (
              <li key={one}>{one}</li>
            ))}
          </ul>
        </>
      )}
      <p className="note">
        {count(built.lock.length)} packages, exactly. <Copy text={built.lock.join("\n")}>Copy all</Copy>
      </p>
      <pre className="environments-lock" tabIndex={0}>
        {built.lock.join("\n")}
      </pre>
    </>
  );
}

function Remove({ built, onDone, onClose }: { built: Built; onDone: () => void; onClose: () => void }) {
  const remove = async () => {
    await api.remove(`/environment-builds/${segment(built.digest)}`);
    notify(`${bytes(built.size)} are free again`);
    onDone();
  };
  return (
    <FormDialog title="Remove a built environment" action="Remove" kind="danger" act={remove} onClose={onClose}>
      <p>
        {bytes(built.size)} are freed. A run that needs this environment builds it again. It is refused while a run uses it.
      </p>
    </FormDialog>
  );
}

export function Builds() {
  const may = useMay("contributor");
  const builds = useResource<Schemas["BuiltEnvironmentList"]>("environment-builds", () => api.get("/environment-builds"));
  useFresh(builds.reload);
  const [open, setOpen] = useState<{ what: "log" | "lock" | "remove"; built: Built }>();
  if (builds.error) return <Problem error={builds.error} retry={builds.reload} />;
  if (!builds.data) return <Loading what="the builds" />;
  const items = [...builds.data.items].sort((a, b) => b.used_at.localeCompare(a.used_at));
  const total = items.reduce((sum, one) => sum + one.size, 0);
  if (items.length === 0) return <p className="note">Nothing is built on this machine yet. A run builds what it needs, or an environment's page does so before.</p>;
  const close = () => setOpen(undefined);
  return (
    <>
      <p className="note">
        {count(items.length)} built, {bytes(total)} in all.
      </p>
      <div className="scroll" tabIndex={0} role="region" aria-label="Builds">
        <table>
          <thead>
            <tr>
              <th>Build</th>
              <th>By</th>
              <th>Python</th>
              <th className="number">Packages</th>
              <th className="number">Size</th>
              <th>Built</th>
              <th>Last used</th>
              <th>
                <span className="visually-hidden">Actions</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {items.map((built) => (
              <tr key={built.digest}>
                <td>
                  <Copy text={built.digest}>
                    <code>{built.digest.slice(0, 12)}</code>
                  </Copy>
                </td>
                <td title={built.reason}>
                  {built.builder}
                  {built.image && <div className="note">{built.image}</div>}
                </td>
                <td className="environments-path">{built.python}</td>
                <td className="number">{built.lock.length}</td>
                <td className="number">{bytes(built.size)}</td>
                <td>
                  <Time at={built.created_at} />
                </td>
                <td>
                  <Time at={built.used_at} />
                </td>
                <td className="environments-actions">
                  <Button small aria-label={`Log of ${built.digest.slice(0, 12)}`} onClick={() => setOpen({ what: "log", built })}>
                    Log
                  </Button>{" "}
                  <Button small aria-label={`Lock of ${built.digest.slice(0, 12)}`} onClick={() => setOpen({ what: "lock", built })}>
                    Lock
                  </Button>{" "}
                  {may && (
                    <Button small kind="danger" aria-label={`Remove ${built.digest.slice(0, 12)}`} onClick={() => setOpen({ what: "remove", built })}>
                      Remove
                    </Button>
                  )}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {open?.what === "log" && (
        <Dialog title={`Log of build ${open.built.digest.slice(0, 12)}`} onClose={close}>
          <BuildLog digest={open.built.digest} growing={false} />
        </Dialog>
      )}
      {open?.what === "lock" && (
        <Dialog title={`Lock of build ${open.built.digest.slice(0, 12)}`} onClose={close}>
          <LockList built={open.built} />
        </Dialog>
      )}
      {open?.what === "remove" && <Remove built={open.built} onDone={builds.reload} onClose={close} />}
    </>
  );
}
