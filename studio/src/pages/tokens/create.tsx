// Making a token.
import { useState } from "react";
import { api, type Schemas } from "../../lib/api";
import { Field, FormDialog } from "../../ui/form";
import { checkTokenName, LIFETIMES } from "./lifetimes";

const ROLES: { role: Schemas["Role"]; text: string }[] = [
  { role: "reader", text: "reader: may look" },
  { role: "contributor", text: "contributor: may submit and change" },
  { role: "owner", text: "owner: may do everything" },
];

export function CreateToken({ onMade, onClose }: { onMade: (token: Schemas["CreatedToken"]) => void; onClose: () => void }) {
  const [name, setName] = useState("");
  const [role, setRole] = useState<Schemas["Role"]>("reader");
  const [lifetime, setLifetime] = useState(2);
  const wrong = checkTokenName(name);
  const create = async () => {
    const body: Schemas["CreateToken"] = { name: name.trim(), role };
    const seconds = LIFETIMES[lifetime]!.seconds;
    if (seconds !== null) body.expires_in_seconds = seconds;
    onMade(await api.post("/tokens", body));
  };
  return (
    <FormDialog title="New token" action="Create" ready={!wrong} act={create} onClose={onClose}>
      <Field label="Name" help="Whose it is, or what for. Runs submitted with it carry this name." wrong={name ? wrong : undefined}>
        {(ids) => <input {...ids} type="text" name="name" autoComplete="off" value={name} onChange={(event) => setName(event.target.value)} />}
      </Field>
      <div className="form-pair">
        <Field label="Role">
          {(ids) => (
            <select {...ids} value={role} onChange={(event) => setRole(event.target.value as Schemas["Role"])}>
              {ROLES.map((one) => (
                <option key={one.role} value={one.role}>
                  {one.text}
                </option>
              ))}
            </select>
          )}
        </Field>
        <Field label="Lifetime">
          {(ids) => (
            <select {...ids} value={lifetime} onChange={(event) => setLifetime(Number(event.target.value))}>
              {LIFETIMES.map((one, i) => (
                <option key={one.label} value={i}>
                  {one.label}
                </option>
              ))}
            </select>
          )}
        </Field>
      </div>
    </FormDialog>
  );
}
