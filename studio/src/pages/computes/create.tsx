// Making a compute.
import { useState } from "react";
import { api, segment, type Schemas } from "../../lib/api";
import { count } from "../../lib/format";
import { useResource } from "../../lib/resource";
import { navigate, workspacePath } from "../../lib/route";
import { Problem } from "../../ui/base";
import { Field, FormDialog } from "../../ui/form";
import { LimitInputs } from "./limits_form";
import { checkComputeName, checkLimits, limitsOf } from "./limits";

type Size = Schemas["VmSize"];

const sizeText = (size: Size): string =>
  `${size.name}: ${size.cpus} CPUs, ${count(Math.round(size.memory_mb / 1024))} GB${size.gpus ? `, ${size.gpus} × ${size.gpu_name ?? "GPU"}` : ""}`;

export function CreateCompute({ workspace, onClose }: { workspace: string; onClose: () => void }) {
  const sizes = useResource<Schemas["VmSizeList"]>("vm-sizes", () => api.get("/vm-sizes"));
  const [name, setName] = useState("");
  const [size, setSize] = useState("STANDARD_D2_V2");
  const [priority, setPriority] = useState<Schemas["VmPriority"]>("dedicated");
  const [slurm, setSlurm] = useState(false);
  const [partition, setPartition] = useState("");
  const [gres, setGres] = useState("");
  const [fields, setFields] = useState({ min: "0", max: "4", idle: "120", perUser: "0", runsPerUser: "0" });
  const problems = checkLimits(fields);
  const wrongName = checkComputeName(name);
  const create = async () => {
    const body: Partial<Schemas["CreateCompute"]> = { name, vm_priority: priority, ...limitsOf(fields) };
    if (slurm) body.slurm = { ...(partition && { partition }), ...(gres && { gres }) };
    else body.vm_size = size;
    await api.post(`/workspaces/${segment(workspace)}/computes`, body);
    navigate(workspacePath(workspace, `computes/${segment(name)}`));
  };
  return (
    <FormDialog title="New compute" action="Create" ready={!wrongName && Object.keys(problems).length === 0} act={create} onClose={onClose}>
      <Field label="Name" help="Runs name it to be run there." wrong={name ? wrongName : undefined}>
        {(ids) => <input {...ids} type="text" name="name" autoComplete="off" value={name} onChange={(event) => setName(event.target.value)} />}
      </Field>
      <fieldset>
        <legend>Nodes come from</legend>
        <label>
          <input type="radio" name="kind" checked={!slurm} onChange={() => setSlurm(false)} /> this machine
        </label>
        <label>
          <input type="radio" name="kind" checked={slurm} onChange={() => setSlurm(true)} /> a Slurm cluster
        </label>
      </fieldset>
      {slurm ? (
        <div className="form-pair">
          <Field label="Partition" help="Empty: the cluster's own choice.">
            {(ids) => <input {...ids} type="text" value={partition} onChange={(event) => setPartition(event.target.value)} />}
          </Field>
          <Field label="GRES" help="For example gpu:1.">
            {(ids) => <input {...ids} type="text" value={gres} onChange={(event) => setGres(event.target.value)} />}
          </Field>
        </div>
      ) : (
        <div className="form-pair">
          <Field label="VM size" help="What a node gets, as far as this machine has it.">
            {(ids) => (
              <select {...ids} value={size} onChange={(event) => setSize(event.target.value)}>
                {(sizes.data?.items ?? []).map((one) => (
                  <option key={one.name} value={one.name}>
                    {sizeText(one)}
                  </option>
                ))}
              </select>
            )}
          </Field>
          <Field label="Priority" help="Nodes of low priority are taken away when dedicated work needs room.">
            {(ids) => (
              <select {...ids} value={priority} onChange={(event) => setPriority(event.target.value as Schemas["VmPriority"])}>
                <option value="dedicated">dedicated</option>
                <option value="lowpriority">low priority</option>
              </select>
            )}
          </Field>
        </div>
      )}
      {sizes.error && <Problem error={sizes.error} retry={sizes.reload} />}
      <LimitInputs fields={fields} problems={problems} onChange={setFields} />
    </FormDialog>
  );
}
