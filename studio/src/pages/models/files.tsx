// The files of a model version.
import { bytes, count } from "../../lib/format";
import { useResource } from "../../lib/resource";
import { blobUrl, filesOf, loadSnapshot } from "../../lib/snapshot";
import { Copy, Loading, Problem } from "../../ui/base";

const nameOf = (path: string): string => path.split("/").at(-1) ?? path;

export function ModelFiles({ name, version, content }: { name: string; version: number; content: string }) {
  const snapshot = useResource(`snapshot/${content}`, () => loadSnapshot(content));
  if (snapshot.error) return <Problem error={snapshot.error} retry={snapshot.reload} />;
  if (!snapshot.data) return <Loading what="the files" />;
  const files = filesOf(snapshot.data);
  const [first, most] = [files.slice(0, 500), 500];
  return (
    <>
      <p className="note">
        All of them, each verified: <Copy text={`roost model get ${name}:${version} -o ${name}`} />
      </p>
      <div className="scroll" tabIndex={0} role="region" aria-label="Files">
        <table>
          <thead>
            <tr>
              <th>File</th>
              <th className="number">Size</th>
              <th>SHA-256</th>
              <th>
                <span className="visually-hidden">Download</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {first.map((file) => (
              <tr key={file.path}>
                <td className="models-path">{file.path}</td>
                <td className="number" title={`${count(file.size)} bytes`}>
                  {bytes(file.size)}
                </td>
                <td>
                  <Copy text={file.digest}>
                    <code>{file.digest.slice(0, 12)}…</code>
                  </Copy>
                </td>
                <td>
                  <a href={blobUrl(file.digest)} download={nameOf(file.path)} aria-label={`Download ${file.path}`}>
                    Download
                  </a>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {files.length > most && <p className="note">{count(files.length - most)} more files are not listed here.</p>}
    </>
  );
}
