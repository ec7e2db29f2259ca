// Tokens: who may use this server, and as what. Only owners see them.
import { useState } from "react";
import { api, segment, type Schemas } from "../lib/api";
import { fullTime } from "../lib/format";
import { useFresh, useResource } from "../lib/resource";
import { useMay, useSession } from "../lib/session";
import { Button, Copy, Dialog, Empty, Loading, Problem, Time } from "../ui/base";
import { FormDialog } from "../ui/form";
import { notify } from "../ui/notify";
import { CreateToken } from "./tokens/create";
import { tokenState } from "./tokens/lifetimes";
import "./tokens.css";

type Token = Schemas["Token"];

function Secret({ token, onClose }: { token: Schemas["CreatedToken"]; onClose: () => void }) {
  return (
    <Dialog title={`Token ${token.name}`} onClose={onClose}>
      <p>
        <strong>This is shown once.</strong> Copy it now: the server keeps only a digest of it.
      </p>
      <p className="tokens-secret">
        <Copy text={token.token} />
      </p>
      <p className="note">
        It opens this server as {token.role}
        {token.expires_at ? ` until ${fullTime(token.expires_at)}` : " and never expires"}. Give it as <code>ROOST_TOKEN</code>, or on the login page.
      </p>
      <div className="form-buttons">
        <Button kind="main" onClick={onClose}>
          I have copied it
        </Button>
      </div>
    </Dialog>
  );
}

function Revoke({ token, onDone, onClose }: { token: Token; onDone: () => void; onClose: () => void }) {
  const revoke = async () => {
    await api.remove(`/tokens/${segment(token.id)}`);
    notify(`${token.name} opens nothing any more`);
    onDone();
  };
  return (
    <FormDialog title={`Revoke ${token.name}`} action="Revoke" kind="danger" act={revoke} onClose={onClose}>
      <p>
        Whatever uses the token <strong>{token.name}</strong> ({token.role}) is refused from now on. This cannot be undone; a new token can be made.
      </p>
    </FormDialog>
  );
}

const STATES = { valid: "status-Completed", expired: "", revoked: "status-Failed" } as const;

function Owned() {
  const session = useSession();
  const tokens = useResource<Schemas["TokenList"]>("tokens", () => api.get("/tokens"));
  useFresh(tokens.reload);
  const [creating, setCreating] = useState(false);
  const [made, setMade] = useState<Schemas["CreatedToken"]>();
  const [revoking, setRevoking] = useState<Token>();
  const items = tokens.data?.items ?? [];
  return (
    <>
      <div className="head">
        <h1>Tokens</h1>
        <Button kind="main" className="spring" onClick={() => setCreating(true)}>
          New token
        </Button>
      </div>
      <p className="note tokens-about">
        A reader may look, a contributor may submit and change runs, models and computes, an owner may do everything, tokens included.
      </p>
      {tokens.error && <Problem error={tokens.error} retry={tokens.reload} />}
      {tokens.loading && <Loading what="the tokens" />}
      {tokens.data && items.length === 0 && (
        <Empty title="No tokens yet">
          <pre>roost token create anna --role contributor</pre>
        </Empty>
      )}
      {items.length > 0 && (
        <div className="scroll" tabIndex={0} role="region" aria-label="Tokens">
          <table>
            <thead>
              <tr>
                <th>Name</th>
                <th>Role</th>
                <th>State</th>
                <th>Created</th>
                <th>Expires</th>
                <th>Id</th>
                <th>
                  <span className="visually-hidden">Actions</span>
                </th>
              </tr>
            </thead>
            <tbody>
              {items.map((token) => {
                const state = tokenState(token, Date.now());
                return (
                  <tr key={token.id}>
                    <td>
                      {token.name}
                      {token.name === session.name && <span className="note"> (this is you)</span>}
                    </td>
                    <td>{token.role}</td>
                    <td>
                      <span className={`status ${STATES[state]}`}>{state}</span>
                    </td>
                    <td>
                      <Time at={token.created_at} />
                    </td>
                    <td>{token.expires_at ? fullTime(token.expires_at) : "never"}</td>
                    <td className="mono">{token.id}</td>
                    <td className="tokens-actions">
                      {state === "valid" && (
                        <Button small kind="danger" aria-label={`Revoke ${token.name}`} onClick={() => setRevoking(token)}>
                          Revoke
                        </Button>
                      )}
                    </td>
                  </tr>
                );
              })}
            </tbody>
          </table>
        </div>
      )}
      {creating && (
        <CreateToken
          onMade={(token) => {
            setMade(token);
            tokens.reload();
          }}
          onClose={() => setCreating(false)}
        />
      )}
      {made && !creating && <Secret token={made} onClose={() => setMade(undefined)} />}
      {revoking && <Revoke token={revoking} onDone={tokens.reload} onClose={() => setRevoking(undefined)} />}
    </>
  );
}

export default function TokensPage() {
  const session = useSession();
  if (useMay("owner")) return <Owned />;
  return (
    <>
      <div className="head">
        <h1>Tokens</h1>
      </div>
      <Empty title="Only an owner sees the tokens">
        <p>
          You are logged in as {session.name}, a {session.role}. Ask an owner of this server for a token, or log in with an owner's.
        </p>
        <pre>roost token create NAME --role contributor</pre>
      </Empty>
    </>
  );
}
