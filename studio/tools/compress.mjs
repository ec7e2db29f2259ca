// Writes dist/NAME.br and dist/NAME.gz beside every file that gains by it. The server sends them as they are.
import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";

const root = process.env.STUDIO_OUT ?? "dist";
for (const name of readdirSync(root, { recursive: true })) {
  const path = join(root, name);
  if (!statSync(path).isFile() || /\.(br|gz)$/.test(name)) continue;
  const bytes = readFileSync(path);
  const brotli = brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } });
  if (brotli.length < bytes.length) writeFileSync(`${path}.br`, brotli);
  const gzip = gzipSync(bytes, { level: 9 });
  if (gzip.length < bytes.length) writeFileSync(`${path}.gz`, gzip);
}
