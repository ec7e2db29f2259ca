// Who is logged in, and what they may do.
import { createContext, useContext } from "react";
import { api, type Session } from "./api";

export const SessionContext = createContext<Session | null>(null);

export function useSession(): Session {
  const session = useContext(SessionContext);
  if (!session) throw new Error("this part of the page is only shown to someone who is logged in");
  return session;
}

const RANKS = { reader: 0, contributor: 1, owner: 2 } as const;
/** Buttons that would be refused are not shown. The server decides all the same. */
export const useMay = (role: keyof typeof RANKS): boolean => RANKS[useSession().role] >= RANKS[role];

export const logIn = (how: { code: string } | { token: string }): Promise<Session> => api.post("/session", how);
export const logOut = (): Promise<unknown> => api.remove("/session");
