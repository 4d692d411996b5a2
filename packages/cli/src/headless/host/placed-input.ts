/** The input of a call for programs that answer questions. They read relative paths from the folder of the project. */
import type { PermissionAnswer, PermissionQuestion } from '@heddle/agent';
import { isDeepStrictEqual } from 'node:util';
import type { JsonObject } from '@heddle/core';
import { resolvePath } from '@heddle/tools/files';

interface PlacedInput {
  readonly input: JsonObject;
  /** The folder of the call, if it is not the one of the project. */
  readonly cwd: string | undefined;
  /** Returns the answer about the input of the call. A program may always return the input that it received. */
  readonly restore: (answer: PermissionAnswer) => PermissionAnswer;
}

const PATH_FIELDS = ['file_path', 'notebook_path', 'path', 'filePath'];

/** Returns the input with whole paths if the call would run in another folder than the project. */
export function placedInput({
  input,
  workingDirectory: folder,
  places,
}: Pick<PermissionQuestion, 'input' | 'workingDirectory' | 'places'>): PlacedInput {
  if (folder === undefined || folder === process.cwd())
    return { input, cwd: undefined, restore: (answer) => answer };
  const paths = (places ? PATH_FIELDS : []).flatMap((field) => {
    const written = input[field];
    return typeof written === 'string' && written !== ''
      ? [[field, resolvePath(written, folder)] as const]
      : [];
  });
  const placed: JsonObject = { ...input, ...Object.fromEntries(paths) };
  return {
    input: placed,
    cwd: folder,
    restore: ({ updatedInput, ...answer }) =>
      isDeepStrictEqual(updatedInput, placed) ? answer : { ...answer, updatedInput },
  };
}
