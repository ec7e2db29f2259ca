// Whether a run has ended for good.
export const isOver = (status: string): boolean => status === "Completed" || status === "Failed" || status === "Canceled";
