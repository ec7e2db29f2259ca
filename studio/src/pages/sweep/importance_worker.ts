// Learns beside the page, which stays quick meanwhile.
import { importanceOf, type Feature } from "../../lib/importance";

self.onmessage = (event: MessageEvent<{ features: Feature[]; target: number[] }>) => {
  self.postMessage(importanceOf(event.data.features, event.data.target) ?? null);
};
