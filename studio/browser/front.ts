// Pages that were built but not yet embedded, before a server that may lack them: STUDIO_DIST=dist npm run browser.
import { readFileSync, existsSync } from "node:fs";
import { createServer, request, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { extname, join, resolve } from "node:path";

// As in src/server/routes/studio_routes.cc.
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob: data:; font-src 'self'; media-src 'self'; " +
  "connect-src 'self'; frame-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'";
const TYPES: Record<string, string> = { ".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml", ".html": "text/html; charset=utf-8" };

export interface Front {
  url: string;
  close(): Promise<void>;
}

function toServer(server: URL, from: IncomingMessage, to: ServerResponse): void {
  const asked = request({ host: server.hostname, port: server.port, method: from.method, path: from.url, headers: from.headers }, (answer) => {
    to.writeHead(answer.statusCode ?? 502, answer.headers);
    to.flushHeaders();
    answer.pipe(to);
    answer.on("error", () => to.destroy());
  });
  asked.on("error", () => to.destroy());
  to.on("close", () => asked.destroy());
  from.pipe(asked);
}

export async function serveFront(folder: string, server: string): Promise<Front> {
  const root = resolve(folder);
  const target = new URL(server);
  const front = createServer((from, to) => {
    const path = new URL(from.url ?? "/", "http://x").pathname;
    if (path.startsWith("/api/") || path.startsWith("/endpoints/")) return toServer(target, from, to);
    const asset = path.startsWith("/assets/") && !path.includes("..") && existsSync(join(root, path)) ? join(root, path) : join(root, "index.html");
    to.setHeader("Content-Type", TYPES[extname(asset)] ?? "application/octet-stream");
    to.setHeader("Cache-Control", "no-store");
    if (asset.endsWith("index.html")) to.setHeader("Content-Security-Policy", POLICY);
    to.end(readFileSync(asset));
  });
  await new Promise<void>((done) => front.listen(0, "127.0.0.1", done));
  return {
    url: `http://127.0.0.1:${(front.address() as AddressInfo).port}`,
    close: () =>
      new Promise((done) => {
        front.close(() => done());
        front.closeAllConnections();
      }),
  };
}
