import { defineConfig } from "vite";

// The server gives this page a strict Content-Security-Policy: nothing inline, nothing from elsewhere.
export default defineConfig({
  esbuild: { jsx: "automatic" },
  build: {
    target: "es2022",
    outDir: process.env.STUDIO_OUT ?? "dist",
    emptyOutDir: true,
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    chunkSizeWarningLimit: 900,
  },
  server: {
    port: Number(process.env.STUDIO_PORT ?? 5173),
    strictPort: true,
    proxy: { "/api": { target: process.env.ROOST_URL ?? "http://127.0.0.1:6105" } },
  },
});
