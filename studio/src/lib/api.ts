// Requests to the server. Types come from api/openapi.yaml (npm run types).
import { takeEarly } from "./early";
import type { components } from "./schema";

export type Schemas = components["schemas"];
export type Run = Schemas["Run"];
export type RunRow = Schemas["RunRow"];
export type RunStatus = Schemas["RunStatus"];
export type Session = Schemas["Session"];

export class ApiError extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
  ) {
    super(message);
  }
}

type Query = Record<string, string | number | boolean | null | undefined | readonly string[]>;

/** "/api/v1" + path, with a query string that leaves out what is empty. */
export function apiUrl(path: string, query: Query = {}): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value === undefined || value === null || value === "") continue;
    if (Array.isArray(value)) for (const one of value) search.append(name, one);
    else search.append(name, String(value));
  }
  const text = search.toString();
  return `/api/v1${path}${text ? `?${text}` : ""}`;
}

/** One part of a path, percent-encoded; `segments` keeps the slashes of a file's path. */
export const segment = (text: string): string => encodeURIComponent(text);
export const segments = (path: string): string => path.split("/").map(encodeURIComponent).join("/");

async function failure(response: Response): Promise<ApiError> {
  const text = await response.text();
  try {
    const body = JSON.parse(text) as Schemas["Error"];
    return new ApiError(response.status, body.error.code, body.error.message);
  } catch {
    return new ApiError(response.status, "internal", `the server answered ${response.status}: ${text.slice(0, 200)}`);
  }
}

const listeners = new Set<() => void>();
/** Calls back when the server says that nobody is logged in (any more). */
export function onLoggedOut(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

const unreachable = new Set<() => void>();
/** Calls back when the server did not answer at all. */
export function onUnreachable(listener: () => void): void {
  unreachable.add(listener);
}

export async function request(url: string, init: RequestInit = {}): Promise<Response> {
  let response: Response;
  try {
    const early = init.method === undefined || init.method === "GET" ? takeEarly(url) : undefined;
    response = await (early ?? fetch(url, { credentials: "same-origin", ...init }));
    init.signal?.throwIfAborted();
  } catch (error) {
    if (init.signal?.aborted) throw error;
    for (const tell of unreachable) tell();
    throw new ApiError(0, "unavailable", "the server does not answer; is Roost running? This page tries again by itself");
  }
  if (response.ok) return response;
  const problem = await failure(response);
  if (response.status === 401 && !url.startsWith("/api/v1/session")) for (const tell of listeners) tell();
  throw problem;
}

async function json<T>(method: string, path: string, body?: unknown, signal?: AbortSignal): Promise<T> {
  const headers: Record<string, string> = { "X-Roost-Studio": "1" };
  if (body !== undefined) headers["Content-Type"] = "application/json";
  const init: RequestInit = { method, headers };
  if (body !== undefined) init.body = JSON.stringify(body);
  if (signal) init.signal = signal;
  return (await (await request(path, init)).json()) as T;
}

export const api = {
  get: <T>(path: string, query?: Query, signal?: AbortSignal) => json<T>("GET", apiUrl(path, query), undefined, signal),
  post: <T>(path: string, body?: unknown) => json<T>("POST", apiUrl(path), body),
  put: <T>(path: string, body: unknown) => json<T>("PUT", apiUrl(path), body),
  patch: <T>(path: string, body: unknown) => json<T>("PATCH", apiUrl(path), body),
  remove: <T>(path: string) => json<T>("DELETE", apiUrl(path)),
  text: async (url: string, signal?: AbortSignal) => (await request(url, signal ? { signal } : {})).text(),
};
