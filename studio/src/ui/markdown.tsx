// Markdown on the page. What others wrote: no HTML, no image from elsewhere, no link that is a script.
import { memo, type ReactNode } from "react";
import { parseMarkdown, safeHref, type Block, type Inline } from "./markdown/parse";
import "./markdown/markdown.css";

/** More is cut off, so that a file of megabytes does not hold up the page. */
export const MOST_MARKDOWN = 200_000;

export interface MarkdownProps {
  text: string;
  /** The address of a picture that lies beside the text; without it, or where it gives none, a picture is a link. */
  picture?: (path: string) => string | undefined;
}

export const Markdown = memo(function Markdown({ text, picture }: MarkdownProps) {
  return (
    <div className="markdown">
      {parseMarkdown(text.slice(0, MOST_MARKDOWN)).map((block, i) => (
        <OneBlock key={i} block={block} picture={picture} />
      ))}
      {text.length > MOST_MARKDOWN && <p className="note">The rest is left out.</p>}
    </div>
  );
});
export default Markdown;

type Picture = MarkdownProps["picture"];

function OneBlock({ block, picture }: { block: Block; picture: Picture }): ReactNode {
  const inside = (blocks: readonly Block[]) => blocks.map((one, i) => <OneBlock key={i} block={one} picture={picture} />);
  switch (block.kind) {
    case "heading": {
      // The page has its own h1 and h2.
      const Heading = `h${Math.min(6, block.level + 2)}` as "h3";
      return <Heading className={`markdown-h${block.level}`}>{inline(block.children, picture)}</Heading>;
    }
    case "paragraph":
      return <p>{inline(block.children, picture)}</p>;
    case "code":
      return (
        <pre tabIndex={0}>
          <code>{block.text}</code>
        </pre>
      );
    case "quote":
      return <blockquote>{inside(block.blocks)}</blockquote>;
    case "list": {
      const items = block.items.map((item, i) => (
        <li key={i} className={item.done === undefined ? undefined : "markdown-task"}>
          {item.done !== undefined && <input type="checkbox" checked={item.done} disabled aria-label={item.done ? "done" : "to do"} />}
          {inside(item.blocks)}
        </li>
      ));
      return block.ordered ? <ol start={block.start}>{items}</ol> : <ul>{items}</ul>;
    }
    case "table":
      return (
        <div className="scroll">
          <table>
            <thead>
              <tr>
                {block.head.map((cell, i) => (
                  <th key={i} className={block.align[i]}>
                    {inline(cell, picture)}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {block.rows.map((row, i) => (
                <tr key={i}>
                  {row.map((cell, j) => (
                    <td key={j} className={block.align[j]}>
                      {inline(cell, picture)}
                    </td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      );
    case "rule":
      return <hr />;
  }
}

function inline(parts: readonly Inline[], picture: Picture): ReactNode {
  return parts.map((part, i) => <OneInline key={i} part={part} picture={picture} />);
}

function OneInline({ part, picture }: { part: Inline; picture: Picture }): ReactNode {
  switch (part.kind) {
    case "text":
      return part.text;
    case "code":
      return <code>{part.text}</code>;
    case "strong":
      return <strong>{inline(part.children, picture)}</strong>;
    case "em":
      return <em>{inline(part.children, picture)}</em>;
    case "del":
      return <del>{inline(part.children, picture)}</del>;
    case "break":
      return <br />;
    case "link":
      return <SafeLink href={part.href}>{inline(part.children, picture)}</SafeLink>;
    case "image": {
      const own = picture?.(part.href);
      if (own !== undefined) return <img src={own} alt={part.alt} loading="lazy" />;
      return <SafeLink href={part.href}>{part.alt || part.href}</SafeLink>;
    }
  }
}

function SafeLink({ href, children }: { href: string; children: ReactNode }) {
  const safe = safeHref(href);
  if (safe === undefined) return <span title={href}>{children}</span>;
  const elsewhere = /^https?:/i.test(safe);
  return (
    <a href={safe} {...(elsewhere ? { target: "_blank", rel: "noreferrer noopener nofollow" } : {})}>
      {children}
    </a>
  );
}
