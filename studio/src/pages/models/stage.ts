// The stage of a model version is its tag "stage".
export const STAGES = ["None", "Staging", "Production", "Archived"] as const;

type Tags = Record<string, string | null>;

/** A value that is none of the known stages is shown as it is. */
export const stageOf = (tags: Tags): string => tags.stage || "None";

export const stageChange = (stage: string): { tags?: Tags; remove_tags?: string[] } => (stage === "None" ? { remove_tags: ["stage"] } : { tags: { stage } });

export const otherTags = (tags: Tags): Tags => Object.fromEntries(Object.entries(tags).filter(([key]) => key !== "stage"));
