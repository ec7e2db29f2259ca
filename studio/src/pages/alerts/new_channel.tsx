// Where alerts go. What is secret of it goes to the server and never comes back.
import { useState } from "react";
import { api, segment, type Schemas } from "../../lib/api";
import { Copy } from "../../ui/base";
import { Field, FormDialog } from "../../ui/form";

const KINDS = ["webhook", "slack", "mail", "desktop"] as const;
type Kind = (typeof KINDS)[number];
const NAME = /^[A-Za-z0-9._-]+$/;

function newSecret(): string {
  return [...crypto.getRandomValues(new Uint8Array(24))].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

export function NewChannel({ onDone, onClose }: { onDone: () => void; onClose: () => void }) {
  const [name, setName] = useState("");
  const [kind, setKind] = useState<Kind>("webhook");
  const [secret] = useState(newSecret);
  const [values, setValues] = useState<Record<string, string>>({});
  const field = (key: string, title: string, more: Partial<React.InputHTMLAttributes<HTMLInputElement>> = {}) => (
    <Field key={key} label={title}>
      {(ids) => <input {...ids} type="text" value={values[key] ?? ""} onChange={(event) => setValues({ ...values, [key]: event.target.value })} {...more} />}
    </Field>
  );
  const wrong = name === "" || NAME.test(name) ? undefined : "Letters, digits, dots, - and _";
  const needed: Record<Kind, string[]> = { webhook: ["url"], slack: ["url"], mail: ["to", "host"], desktop: [] };
  const ready = name !== "" && !wrong && needed[kind].every((key) => values[key]?.trim());
  const body = (): Schemas["SaveChannel"] => {
    const { url = "", to = "", from = "", host = "", port = "", user = "", password = "" } = values;
    if (kind === "webhook") return { kind, url, secret };
    if (kind === "slack") return { kind, url };
    if (kind === "desktop") return { kind };
    const receivers = to.split(/[\s,;]+/).filter(Boolean);
    return { kind, to: receivers, from: from || receivers[0] || "", host, ...(port ? { port: Number(port) } : {}), ...(user ? { user, password } : {}) };
  };
  const save = async () => {
    await api.put(`/alerts/channels/${segment(name)}`, body());
    onDone();
  };
  return (
    <FormDialog title="New channel" action="Save" ready={ready} act={save} onClose={onClose}>
      <div className="form-pair">
        <Field label="Name" wrong={wrong}>
          {(ids) => <input {...ids} type="text" required value={name} maxLength={64} onChange={(event) => setName(event.target.value)} />}
        </Field>
        <Field label="Kind">
          {(ids) => (
            <select {...ids} value={kind} onChange={(event) => setKind(event.target.value as Kind)}>
              {KINDS.map((one) => (
                <option key={one}>{one}</option>
              ))}
            </select>
          )}
        </Field>
      </div>
      {(kind === "webhook" || kind === "slack") && field("url", "Address", { type: "url", required: true, placeholder: "https://" })}
      {kind === "webhook" && (
        <p className="note">
          Signed with this secret, which is shown here only: <Copy text={secret} />
        </p>
      )}
      {kind === "mail" && (
        <div className="form-pair">
          {[
            field("to", "To", { required: true, placeholder: "ann@example.org" }),
            field("from", "From", { placeholder: "the first receiver" }),
            field("host", "Mail server", { required: true }),
            field("port", "Port", { type: "number", min: 1, max: 65535, placeholder: "587" }),
            field("user", "User", { autoComplete: "off" }),
            field("password", "Password", { type: "password", autoComplete: "new-password" }),
          ]}
        </div>
      )}
      {kind === "desktop" && <p className="note">Browsers in which the studio is open show what is sent here, if they were allowed to.</p>}
    </FormDialog>
  );
}
