// How long a token may be good for, and whether it still is.
import type { Schemas } from "../../lib/api";

export const LIFETIMES: { label: string; seconds: number | null }[] = [
  { label: "1 day", seconds: 86_400 },
  { label: "30 days", seconds: 30 * 86_400 },
  { label: "90 days", seconds: 90 * 86_400 },
  { label: "1 year", seconds: 365 * 86_400 },
  { label: "it never expires", seconds: null },
];

export function tokenState(token: Schemas["Token"], now: number): "valid" | "expired" | "revoked" {
  if (token.revoked) return "revoked";
  return token.expires_at !== null && Date.parse(token.expires_at) <= now ? "expired" : "valid";
}

export function checkTokenName(name: string): string | undefined {
  const length = name.trim().length;
  return length < 1 || length > 100 ? "1 to 100 characters." : undefined;
}
