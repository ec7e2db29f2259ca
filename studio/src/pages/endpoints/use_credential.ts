// What a request of this page carries to be let in: a key that the server hands to a contributor, or one that was typed here.
import { useEffect, useState } from "react";
import { getKeys, getToken, type Endpoint } from "../../lib/endpoint";
import { useMay } from "../../lib/session";
import type { Credential } from "./call_endpoint";

export interface CredentialState {
  /** undefined until there is one. */
  credential: Credential | undefined;
  error: Error | undefined;
  /** Somebody has to type it. */
  asks: boolean;
  typed: string;
  setTyped: (key: string) => void;
  retry: () => void;
}

const bearer = (key: string): Credential => ({ Authorization: `Bearer ${key}` });

export function useCredential({ workspace, name, auth }: Endpoint): CredentialState {
  const contributor = useMay("contributor");
  // A reader may have a token made, but not see the keys.
  const may = contributor || auth === "token";
  const [fetched, setFetched] = useState<string>();
  const [typed, setTyped] = useState("");
  const [error, setError] = useState<Error>();
  const [tries, setTries] = useState(0);
  useEffect(() => {
    if (!may || auth === "none") return;
    let here = true;
    setError(undefined);
    const got = auth === "token" ? getToken(workspace, name).then(({ token }) => token) : getKeys(workspace, name).then(({ primary }) => primary);
    got.then((key) => here && setFetched(key), (problem: Error) => here && setError(problem));
    return () => {
      here = false;
    };
  }, [may, auth, workspace, name, tries]);
  const asks = auth !== "none" && !may;
  const key = asks ? typed.trim() : fetched;
  return { credential: auth === "none" ? {} : key ? bearer(key) : undefined, error, asks, typed, setTyped, retry: () => setTries((n) => n + 1) };
}
