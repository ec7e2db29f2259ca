// Where a reader types a key, or what went wrong in getting one.
import { Problem } from "../../ui/base";
import { Field } from "../../ui/form";
import type { CredentialState } from "./use_credential";

export function CredentialField({ state }: { state: CredentialState }) {
  if (state.error) return <Problem error={state.error} retry={state.retry} />;
  if (!state.asks) return null;
  return (
    <Field label="Key" help="You are a reader, who does not see the keys of endpoints: ask a contributor for one. It stays in this tab.">
      {(ids) => <input {...ids} type="password" autoComplete="off" value={state.typed} onChange={(event) => state.setTyped(event.target.value)} />}
    </Field>
  );
}
