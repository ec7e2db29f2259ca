import { expect, test } from "vitest";
import { checkTokenName, tokenState } from "./lifetimes";

const token = { id: "1", name: "a", role: "reader", created_at: "2026-01-01T00:00:00Z", expires_at: "2026-01-02T00:00:00Z", revoked: false } as const;

test("a token is valid until it expires or is revoked", () => {
  expect(tokenState(token, Date.parse("2026-01-01T12:00:00Z"))).toBe("valid");
  expect(tokenState(token, Date.parse("2026-01-02T00:00:00Z"))).toBe("expired");
  expect(tokenState({ ...token, expires_at: null }, Date.parse("2030-01-01T00:00:00Z"))).toBe("valid");
  expect(tokenState({ ...token, revoked: true }, 0)).toBe("revoked");
});
test("names of tokens", () => {
  expect(checkTokenName("anna")).toBeUndefined();
  expect(checkTokenName("  ")).toBeDefined();
  expect(checkTokenName("x".repeat(101))).toBeDefined();
});
