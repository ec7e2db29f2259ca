// One output: what it is, and what it looks like.
import { useCallback, useMemo, useState } from "react";
import { apiUrl, segment, segments, type Run, type Schemas } from "../../../lib/api";
import { bytes, fullTime } from "../../../lib/format";
import { useSearch } from "../../../lib/route";
import { Button, Copy, Loading, Problem } from "../../../ui/base";
import { Choice } from "../../../ui/choice";
import { Code } from "../../../ui/code";
import { lazily } from "../../../ui/lazily";
import type { MarkdownProps } from "../../../ui/markdown";
import { DataTable } from "./data_table";
import { JsonTree } from "./json_tree";
import { endingOf, kindOf } from "./kinds";
import { useRangedText } from "./ranged_text";

type Artifact = Schemas["Artifact"];
const TEXT_PIECE = 512 * 1024;
const TABLE_PIECE = 2 * 1024 * 1024;
const MOST_JSON = 8 * 1024 * 1024;
const MOST_TEXT = 1024 * 1024;
const MOST_PDF = 64 * 1024 * 1024;
const { Part: Markdown } = lazily<MarkdownProps>("the text", () => import("../../../ui/markdown"));
const { Part: ArrayPreview } = lazily<{ url: string; size: number }>("the array", () => import("./array_preview"));
const { Part: ParquetPreview } = lazily<{ url: string; size: number }>("the table", () => import("./parquet_preview"));

export function Preview({ run, file }: { run: Run; file: Artifact }) {
  const url = (show?: string) => apiUrl(`/runs/${segment(run.id)}/artifacts/${segments(file.path)}`, { show });
  const kind = kindOf(file.path);
  return (
    <article className="output" aria-label={file.path}>
      <header className="output-head">
        <h2>
          <bdi>{file.path}</bdi>
        </h2>
        <span className="note" title={fullTime(file.at)}>
          {bytes(file.size)}
        </span>
        <span className="output-digest">
          <Copy text={file.digest}>
            <code title={`sha256 ${file.digest}`}>sha256 {file.digest.slice(0, 12)}…</code>
          </Copy>
        </span>
        <a className="button small" href={url("download")} download={file.path.slice(file.path.lastIndexOf("/") + 1)}>
          Download
        </a>
      </header>
      {kind === "image" ? (
        <Picture url={url("inline")} name={file.path} />
      ) : kind === "page" ? (
        <Page url={url("inline")} source={url()} file={file} />
      ) : kind === "bytes" ? (
        <Unseen file={file} />
      ) : kind === "pdf" ? (
        <Document url={url("inline")} file={file} />
      ) : kind === "audio" || kind === "video" ? (
        <Playable key={file.digest} kind={kind} url={url("inline")} file={file} />
      ) : kind === "array" ? (
        <ArrayPreview key={file.digest} url={url()} size={file.size} />
      ) : kind === "parquet" ? (
        <ParquetPreview key={file.digest} url={url()} size={file.size} />
      ) : kind === "markdown" && file.size <= MOST_TEXT ? (
        <MarkdownFile key={file.digest} run={run} url={url()} file={file} />
      ) : kind === "json" && file.size <= MOST_JSON ? (
        <Json url={url()} file={file} />
      ) : (
        <Text key={file.digest} url={url()} file={file} table={kind === "table"} />
      )}
    </article>
  );
}

/** By the browser's own viewer, which has no access to this page. */
function Document({ url, file }: { url: string; file: Artifact }) {
  if (file.size > MOST_PDF) return <p className="note">It is too large to be shown here. Download it to look inside.</p>;
  return (
    <>
      <p className="row">
        <a className="button small" href={url} target="_blank" rel="noreferrer">
          Open it in a tab of its own
        </a>
        <span className="note">A browser that shows no PDF within a page shows nothing below.</span>
      </p>
      <iframe className="output-page" src={url} title={file.path} />
    </>
  );
}

function Playable({ kind, url, file }: { kind: "audio" | "video"; url: string; file: Artifact }) {
  const [failed, setFailed] = useState(false);
  if (failed) return <p className="note">This file has the name of a recording, but is none that the browser can play.</p>;
  const given = { src: url, controls: true, preload: "metadata", onError: () => setFailed(true), "aria-label": file.path } as const;
  return kind === "audio" ? <audio className="output-audio" {...given} /> : <video className="output-video" {...given} />;
}

/** As it is meant to look, or as it was written. A picture beside it is shown, one from elsewhere is a link. */
function MarkdownFile({ run, url, file }: { run: Run; url: string; file: Artifact }) {
  const [search, change] = useSearch();
  const source = search.get("view") === "source";
  const content = useRangedText(url, file.size, MOST_TEXT);
  const picture = useCallback(
    (path: string) => {
      if (!/^[\w./ %-]+$/.test(path) || path.startsWith("/")) return undefined;
      const parts = file.path.split("/").slice(0, -1);
      for (const part of path.split("/")) {
        if (part === "..") parts.pop();
        else if (part !== "." && part !== "") parts.push(part);
      }
      return kindOf(path) === "image" ? apiUrl(`/runs/${segment(run.id)}/artifacts/${segments(parts.join("/"))}`, { show: "inline" }) : undefined;
    },
    [run.id, file.path],
  );
  if (content.binary) return <Unseen file={file} />;
  if (content.error) return <Problem error={content.error} retry={content.more} />;
  if (!content.complete) return <Loading what="the file" />;
  return (
    <>
      <Choice label="How to show the text" values={[{ id: "page", title: "Text" }, { id: "source", title: "Source" }]} value={source ? "source" : "page"} onChange={(value) => change({ view: value === "source" ? value : null })} />
      {source ? <Code text={content.text} name={file.path} /> : <Markdown text={content.text} picture={picture} />}
    </>
  );
}

function Picture({ url, name }: { url: string; name: string }) {
  const [search, change] = useSearch();
  const zoom = search.get("zoom") === "full" ? "full" : "fit";
  const [size, setSize] = useState<[number, number]>();
  const [failed, setFailed] = useState(false);
  if (failed) return <p className="note">This file has the name of an image, but is none that the browser knows.</p>;
  return (
    <>
      <div className="row">
        <Choice label="Size of the image" values={[{ id: "fit", title: "Fit" }, { id: "full", title: "100 %" }]} value={zoom} onChange={(value) => change({ zoom: value === "full" ? value : null })} />
        {size && (
          <span className="note">
            {size[0]} × {size[1]}
          </span>
        )}
      </div>
      <div className={`output-picture ${zoom}`} role="region" aria-label="Image" tabIndex={0}>
        <img src={url} alt={name} onLoad={(event) => setSize([event.currentTarget.naturalWidth, event.currentTarget.naturalHeight])} onError={() => setFailed(true)} />
      </div>
    </>
  );
}

function Page({ url, source, file }: { url: string; source: string; file: Artifact }) {
  const [search, change] = useSearch();
  const view = search.get("view") === "source" ? "source" : "page";
  return (
    <>
      <div className="row">
        <Choice label="How to show the page" values={[{ id: "page", title: "Page" }, { id: "source", title: "Source" }]} value={view} onChange={(value) => change({ view: value === "source" ? value : null })} />
        <span className="note">Shown without its scripts.</span>
      </div>
      {view === "page" ? <iframe className="output-page" sandbox="" src={url} title={file.path} /> : <Text url={source} file={file} table={false} />}
    </>
  );
}

function Json({ url, file }: { url: string; file: Artifact }) {
  const [search, change] = useSearch();
  const raw = search.get("view") === "raw";
  const content = useRangedText(url, file.size, MOST_JSON);
  const parsed = useMemo(() => {
    if (!content.complete || content.loading) return undefined;
    try {
      return { value: JSON.parse(content.text) as unknown };
    } catch (error) {
      return { problem: (error as Error).message };
    }
  }, [content.text, content.complete, content.loading]);
  if (content.error) return <Problem error={content.error} retry={content.more} />;
  if (content.binary) return <Unseen file={file} />;
  if (!parsed) return <Loading what="the file" />;
  if ("problem" in parsed) {
    return (
      <>
        <p className="note">This is no valid JSON: {parsed.problem}</p>
        <Code text={content.text} name={file.path} />
      </>
    );
  }
  return (
    <>
      <Choice label="How to show the JSON" values={[{ id: "tree", title: "Tree" }, { id: "raw", title: "Raw" }]} value={raw ? "raw" : "tree"} onChange={(value) => change({ view: value === "raw" ? value : null })} />
      {raw ? <Code text={content.text} name={file.path} /> : <JsonTree value={parsed.value} />}
    </>
  );
}

function Text({ url, file, table }: { url: string; file: Artifact; table: boolean }) {
  const content = useRangedText(url, file.size, table ? TABLE_PIECE : TEXT_PIECE);
  if (content.binary) return <Unseen file={file} />;
  if (content.read === 0 && content.loading) return <Loading what="the file" />;
  if (content.error && content.read === 0) return <Problem error={content.error} retry={content.more} />;
  if (file.size === 0) return <p className="note">This file is empty.</p>;
  return (
    <>
      {table ? (
        <DataTable text={content.text} separator={endingOf(file.path) === "tsv" ? "\t" : ","} cut={!content.complete} name={file.path} />
      ) : (
        <Code text={content.text} name={file.path} />
      )}
      {content.error && <Problem error={content.error} retry={content.more} />}
      {!content.complete && (
        <p className="row">
          <span className="note">
            {bytes(content.read)} of {bytes(file.size)} are here.
          </span>
          <Button small disabled={content.loading} onClick={content.more}>
            {content.loading ? "Loading …" : "Load more"}
          </Button>
        </p>
      )}
    </>
  );
}

function Unseen({ file }: { file: Artifact }) {
  return (
    <div className="card">
      <dl className="facts">
        <dt>Size</dt>
        <dd>
          {bytes(file.size)} ({file.size} bytes)
        </dd>
        <dt>SHA-256</dt>
        <dd>
          <Copy text={file.digest} />
        </dd>
        <dt>Stored</dt>
        <dd>{fullTime(file.at)}</dd>
      </dl>
      <p className="note">There is no preview for such a file. Download it to look inside.</p>
    </div>
  );
}
