/** The model as the user should know it: a recording that is played again is called one, whatever model it was made with. */
export function modelWords({
  modelName,
  plays,
}: {
  readonly modelName: string;
  readonly plays?: string | undefined;
}): string {
  return plays === undefined ? modelName : `${plays}, a recording of ${modelName}`;
}
