// Logging in, by the link that `roost studio` prints or by a token.
import { useEffect, useRef, useState } from "react";
import type { ApiError, Session } from "../lib/api";
import { useSearch } from "../lib/route";
import { logIn } from "../lib/session";
import { Button, Problem } from "../ui/base";

export function LoginPage({ onLogin }: { onLogin: (session: Session, next: string) => void }) {
  const [search] = useSearch();
  const [token, setToken] = useState("");
  const [problem, setProblem] = useState<ApiError>();
  const tried = useRef("");
  // Only a path of this very page: never another host.
  const asked = search.get("next") ?? "/";
  const next = /^\/(?![/\\])/.test(asked) ? asked : "/";

  const attempt = (how: { code: string } | { token: string }) => logIn(how).then((session) => onLogin(session, next), setProblem);

  useEffect(() => {
    const look = () => {
      // The code stands behind the #, which browsers do not send and servers do not log.
      const code = /^#code=([\w-]+)$/.exec(location.hash)?.[1];
      if (!code || tried.current === code) return;
      tried.current = code;
      history.replaceState(null, "", location.pathname + location.search);
      void attempt({ code });
    };
    look();
    // A link that is opened where this page already is loads nothing anew.
    window.addEventListener("hashchange", look);
    return () => window.removeEventListener("hashchange", look);
  });

  return (
    <main className="login" id="main">
      <h1>Roost</h1>
      <p>
        Run <code>roost studio</code> on the server for a link that logs you in, or give a token.
      </p>
      {problem && <Problem error={problem} />}
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void attempt({ token: token.trim() });
        }}
      >
        <label>
          Token
          <input type="password" name="token" autoComplete="off" required value={token} onChange={(event) => setToken(event.target.value)} />
        </label>
        <Button kind="main" type="submit">
          Log in
        </Button>
      </form>
      <p className="note">
        <code>roost token create NAME --role reader</code> makes a token for someone who may look but not touch.
      </p>
    </main>
  );
}
