// Where the note of a run or an experiment is kept.

/** MLflow's name, so that notes come and go with it. */
export const NOTE_TAG = "mlflow.note.content";

/** The tags without the note, which is shown by itself. */
export function withoutNote<V>(tags: Record<string, V>): Record<string, V> {
  const { [NOTE_TAG]: _, ...rest } = tags;
  return rest;
}
