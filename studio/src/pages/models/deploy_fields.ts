// What can be typed into the deploy form.
export interface ReplicaFields {
  min: string;
  max: string;
}

const whole = (text: string): number => (/^\d+$/.test(text.trim()) ? Number(text) : NaN);

export function checkReplicas({ min, max }: ReplicaFields): Partial<ReplicaFields> {
  const [least, most] = [whole(min), whole(max)];
  return {
    ...(!(least >= 0) && { min: "A whole number, 0 or more." }),
    ...(!(most >= 1) ? { max: "A whole number, 1 or more." } : most < least && { max: "Not below the least." }),
  };
}

/** The model's name as an endpoint may have it. */
export function suggestedName(model: string): string {
  const name = model.toLowerCase().replace(/[^a-z0-9]+/g, "-").replace(/^[^a-z]+/, "").slice(0, 32).replace(/-+$/, "");
  return name.length < 3 ? `${name}${name && "-"}endpoint` : name;
}
