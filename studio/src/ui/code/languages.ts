// The languages that code is coloured in; loaded with the first file that has colours.
import hljs from "highlight.js/lib/core";
import bash from "highlight.js/lib/languages/bash";
import dockerfile from "highlight.js/lib/languages/dockerfile";
import ini from "highlight.js/lib/languages/ini";
import json from "highlight.js/lib/languages/json";
import markdown from "highlight.js/lib/languages/markdown";
import python from "highlight.js/lib/languages/python";
import yaml from "highlight.js/lib/languages/yaml";
import type { Language, Token } from "./tokens";

const LANGUAGES = { bash, dockerfile, ini, json, markdown, python, yaml };
for (const [name, language] of Object.entries(LANGUAGES)) hljs.registerLanguage(name, language);

interface Node {
  scope?: string;
  children: (Node | string)[];
}

/** The lines of a text as tokens, taken from the tree of the highlighter, so that no HTML is made on the way. */
export function highlight(text: string, language: Language): Token[][] {
  const result = hljs.highlight(text, { language, ignoreIllegals: true });
  const root = (result._emitter as unknown as { rootNode: Node }).rootNode;
  const lines: Token[][] = [[]];
  const add = (piece: string, scope: string | undefined) => {
    piece.split("\n").forEach((part, i) => {
      if (i > 0) lines.push([]);
      if (part !== "") lines[lines.length - 1]!.push(scope ? { text: part, scope } : { text: part });
    });
  };
  const walk = (node: Node, scope: string | undefined) => {
    for (const child of node.children) {
      if (typeof child === "string") add(child, scope);
      else walk(child, child.scope && !child.scope.startsWith("language:") ? child.scope.split(".")[0] : scope);
    }
  };
  walk(root, undefined);
  return lines;
}
