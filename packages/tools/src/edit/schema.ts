import * as z from 'zod';

const step = {
  old_string: z.string().describe('Exact text to replace, without line numbers'),
  new_string: z.string(),
  replace_all: z.boolean().optional().describe('Replace every occurrence'),
};

export const editInput = z
  .strictObject({
    file_path: z.string().min(1),
    old_string: step.old_string.optional(),
    new_string: step.new_string.optional(),
    replace_all: step.replace_all,
    edits: z
      .array(z.strictObject(step))
      .min(1)
      .optional()
      .describe('Instead of old_string and new_string: several edits, in order, all or none'),
  })
  .refine(
    ({ old_string, new_string, replace_all, edits }) =>
      edits === undefined
        ? old_string !== undefined && new_string !== undefined
        : old_string === undefined && new_string === undefined && replace_all === undefined,
    'give either old_string and new_string, or edits',
  );

export type EditInput = z.infer<typeof editInput>;
