// A NumPy file: its shape and type, its first values, and the picture that it may be.
import { useEffect, useRef } from "react";
import { count } from "../../../lib/format";
import { Loading } from "../../../ui/base";
import { readBytes, useMade } from "./file_bytes";
import { MOST_PIXELS, npyHead, NPY_PIECE, npyPicture, npyValues, pictureSides, type Picture } from "./npy";

const MOST_VALUES = 400;
/** A picture is read whole. */
const MOST_PICTURE = 24 * 1024 * 1024;

export default function ArrayPreview({ url, size }: { url: string; size: number }) {
  const { value, error } = useMade(url, async (signal) => {
    let bytes = await readBytes(url, 0, Math.min(size, NPY_PIECE), signal);
    const head = npyHead(bytes);
    const whole = head.offset + head.count * head.size;
    const isPicture = pictureSides(head) !== null && head.count <= MOST_PIXELS && whole <= Math.min(size, MOST_PICTURE);
    if (isPicture && bytes.length < whole) bytes = await readBytes(url, 0, whole, signal);
    return { head, values: npyValues(bytes, head, MOST_VALUES), picture: isPicture ? npyPicture(bytes, head) : null };
  });
  if (error) return <p className="note">This file cannot be shown: {error.message}.</p>;
  if (!value) return <Loading what="the array" />;
  const { head, values, picture } = value;
  return (
    <>
      <dl className="facts">
        <dt>Shape</dt>
        <dd>{head.shape.length === 0 ? "one value" : head.shape.join(" × ")}</dd>
        <dt>Type</dt>
        <dd>
          <code>{head.dtype}</code>
          {head.fortran && ", columns first"}
        </dd>
        <dt>Values</dt>
        <dd>{count(head.count)}</dd>
      </dl>
      {picture && <Pixels picture={picture} />}
      {values.length > 0 && (
        <>
          <h3>{values.length < head.count ? `The first ${values.length} values` : "Values"}</h3>
          <pre className="output-values" tabIndex={0} role="region" aria-label="Values">{values.map((one) => (typeof one === "number" ? Number(one.toPrecision(7)) : String(one))).join("  ")}</pre>
        </>
      )}
    </>
  );
}

function Pixels({ picture }: { picture: Picture }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  useEffect(() => {
    canvas.current?.getContext("2d")?.putImageData(new ImageData(picture.pixels, picture.width, picture.height), 0, 0);
  }, [picture]);
  return (
    <div className="output-picture fit" role="region" aria-label="The array as a picture" tabIndex={0}>
      <canvas ref={canvas} width={picture.width} height={picture.height} className={picture.width < 128 ? "output-pixels" : undefined} role="img" aria-label={`${picture.width} × ${picture.height} pixels`} />
    </div>
  );
}
