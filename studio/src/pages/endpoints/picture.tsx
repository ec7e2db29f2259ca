// A picture becomes the input of a model, here in the browser: resized, and shown as the model gets it.
import { useEffect, useRef, useState, type DragEvent } from "react";
import { Choice } from "../../ui/choice";
import { Problem } from "../../ui/base";
import { pictureValues, pictureShape, SCALINGS, type PictureInput, type Scaling } from "./tensor";

/** Where a side may be any. */
const USUAL_SIDE = 224;
export type Fit = "crop" | "stretch";
export interface PictureChoices {
  scaling: Scaling;
  fit: Fit;
  as: "binary" | "json";
  width: number;
  height: number;
}
export const sizeOf = ({ width, height }: PictureInput): { width: number; height: number } => ({ width: width ?? USUAL_SIDE, height: height ?? USUAL_SIDE });

/** The part of a picture that is drawn: all of it, or its middle in the proportions that are wanted. */
export function sourceOf(from: { width: number; height: number }, to: { width: number; height: number }, fit: Fit): { x: number; y: number; width: number; height: number } {
  if (fit === "stretch") return { x: 0, y: 0, ...from };
  const scale = Math.min(from.width / to.width, from.height / to.height);
  const [width, height] = [to.width * scale, to.height * scale];
  return { x: (from.width - width) / 2, y: (from.height - height) / 2, width, height };
}

/** What the model gets, of what is on the canvas. */
export function valuesOf(canvas: HTMLCanvasElement, input: PictureInput, scaling: Scaling): { values: number[]; shape: number[] } {
  const { width, height } = canvas;
  const { data } = canvas.getContext("2d", { willReadFrequently: true })!.getImageData(0, 0, width, height);
  return { values: pictureValues(data, width, height, input, scaling), shape: pictureShape(input, width, height) };
}

export function PictureDrop({ file, onFile, children }: { file: File | undefined; onFile: (file: File) => void; children?: React.ReactNode }) {
  const [over, setOver] = useState(false);
  const take = (files: FileList | null | undefined) => {
    const picture = [...(files ?? [])].find((one) => one.type.startsWith("image/")) ?? files?.[0];
    if (picture) onFile(picture);
  };
  const drop = (event: DragEvent) => {
    event.preventDefault();
    event.stopPropagation();
    setOver(false);
    take(event.dataTransfer.files);
  };
  return (
    <div className={`endpoint-drop ${over ? "over" : ""}`} onDragOver={(event) => (event.preventDefault(), setOver(true))} onDragLeave={() => setOver(false)} onDrop={drop} onPaste={(event) => take(event.clipboardData.files)}>
      <label>
        <input className="visually-hidden" type="file" accept="image/*" onChange={(event) => take(event.target.files)} aria-label="Picture" />
        <span className="button">Choose a picture</span>
        <span>{file ? file.name : "or drop one here"}</span>
      </label>
      {children}
    </div>
  );
}

interface Props {
  input: PictureInput;
  file: File | undefined;
  choices: PictureChoices;
  onChoices: (choices: PictureChoices) => void;
  onFile: (file: File) => void;
  /** The canvas once the picture is on it. */
  onDrawn: (canvas: HTMLCanvasElement | undefined) => void;
}

export function PictureForm({ input, file, choices, onChoices, onFile, onDrawn }: Props) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const [problem, setProblem] = useState<Error>();
  const { width, height, fit } = choices;
  useEffect(() => {
    if (!file) return;
    let here = true;
    setProblem(undefined);
    createImageBitmap(file).then(
      (bitmap) => {
        const box = canvas.current;
        if (!here || !box) return;
        box.width = width;
        box.height = height;
        const context = box.getContext("2d", { willReadFrequently: true })!;
        context.imageSmoothingQuality = "high";
        const from = sourceOf(bitmap, { width, height }, fit);
        // What is transparent becomes white, not black.
        context.fillStyle = "white";
        context.fillRect(0, 0, width, height);
        context.drawImage(bitmap, from.x, from.y, from.width, from.height, 0, 0, width, height);
        bitmap.close();
        onDrawn(box);
      },
      () => {
        if (!here) return;
        setProblem(new Error(`${file.name} is no picture that this browser can read; PNG, JPEG, WebP and GIF are`));
        onDrawn(undefined);
      },
    );
    return () => {
      here = false;
    };
  }, [file, width, height, fit]);
  const side = (name: "width" | "height", fixed: number | null) => (
    <label>
      {name === "width" ? "Width" : "Height"}{" "}
      <input
        type="number"
        min={1}
        max={4096}
        disabled={fixed !== null}
        value={choices[name]}
        onChange={(event) => onChoices({ ...choices, [name]: Math.max(1, Math.min(4096, Math.round(event.target.valueAsNumber || 1))) })}
      />
    </label>
  );
  return (
    <div className="endpoint-picture">
      <PictureDrop file={file} onFile={onFile}>
        {file && !problem && <canvas ref={canvas} role="img" aria-label={`${file.name} as the model gets it, ${width} by ${height}`} />}
      </PictureDrop>
      {problem && <Problem error={problem} />}
      <div className="endpoint-choices">
        <span className="note">Values</span>
        <Choice label="Values" values={SCALINGS} value={choices.scaling} onChange={(scaling) => onChoices({ ...choices, scaling: scaling as Scaling })} />
        <span className="note">Fit</span>
        <Choice
          label="Fit"
          values={[
            { id: "crop", title: "middle", hint: "the middle of the picture, in its own proportions" },
            { id: "stretch", title: "stretched", hint: "all of the picture" },
          ]}
          value={fit}
          onChange={(next) => onChoices({ ...choices, fit: next as Fit })}
        />
        <span className="note">Sent as</span>
        <Choice
          label="Sent as"
          values={[
            { id: "binary", title: "v2 binary", hint: "the values as they are in memory, after a head in JSON" },
            { id: "json", title: "v2 JSON", hint: "the values as text: larger and slower" },
          ]}
          value={choices.as}
          onChange={(as) => onChoices({ ...choices, as: as as PictureChoices["as"] })}
        />
        <span className="note">Size</span>
        <span className="row endpoint-sides">
          {side("width", input.width)} {side("height", input.height)}
          <span className="note">
            {input.channels === 1 ? "grey" : input.channels === 3 ? "RGB" : "RGBA"}, channels {input.first ? "first" : "last"}, {input.datatype}
          </span>
        </span>
      </div>
    </div>
  );
}
