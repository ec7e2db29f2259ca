import { defineConfig, type Plugin, type Rollup } from "vite";

const FIRST = "/src/early.ts";
const MAIN = "/src/main.tsx";

/** A module and what it imports, but not what it only fetches later. */
function withImports(ending: string, { getModuleIds, getModuleInfo }: Rollup.ManualChunkMeta): Set<string> {
  const found = new Set([...getModuleIds()].filter((id) => id.endsWith(ending)));
  for (const id of found) getModuleInfo(id)?.importedIds.forEach((one) => found.add(one));
  return found;
}

// What every page needs is one file, though parts of pages are asked for beside it and share some of it.
let groups: { first: Set<string>; main: Set<string> } | undefined;
function chunkOf(id: string, graph: Rollup.ManualChunkMeta): string | undefined {
  groups ??= { first: withImports(FIRST, graph), main: withImports(MAIN, graph) };
  return groups.first.has(id) ? "first" : groups.main.has(id) ? "main" : undefined;
}

// The first script is small and fetches the rest; the browser is told of that rest before it has read the first.
function fetchMainBeside(): Plugin {
  return {
    name: "fetch-main-beside",
    transformIndexHtml: {
      order: "post",
      handler: (_, { bundle }) => {
        const chunk = Object.values(bundle ?? {}).find((file) => file.type === "chunk" && file.name === "main");
        if (chunk?.type !== "chunk") return [];
        const link = (rel: string, file: string) => ({ tag: "link", attrs: { rel, crossorigin: true, href: `/${file}` }, injectTo: "head" as const });
        return [link("modulepreload", chunk.fileName), ...[...(chunk.viteMetadata?.importedCss ?? [])].map((file) => link("stylesheet", file))];
      },
    },
  };
}

// The server gives this page a strict Content-Security-Policy: nothing inline, nothing from elsewhere.
export default defineConfig({
  plugins: [fetchMainBeside()],
  esbuild: { jsx: "automatic" },
  build: {
    target: "es2022",
    outDir: process.env.STUDIO_OUT ?? "dist",
    emptyOutDir: true,
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    chunkSizeWarningLimit: 900,
    rollupOptions: { output: { manualChunks: chunkOf } },
  },
  server: {
    port: Number(process.env.STUDIO_PORT ?? 5173),
    strictPort: true,
    proxy: Object.fromEntries(["/api", "/endpoints"].map((path) => [path, { target: process.env.ROOST_URL ?? "http://127.0.0.1:6105" }])),
  },
});
