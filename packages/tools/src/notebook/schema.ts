import * as z from 'zod';

export const notebookEditInput = z.strictObject({
  notebook_path: z.string().min(1),
  cell_id: z
    .string()
    .optional()
    .describe('As Read shows it. Insert puts the new cell after it, or first without it'),
  new_source: z.string().describe('The whole cell; empty for delete'),
  cell_type: z.enum(['code', 'markdown']).optional().describe('Needed for insert'),
  edit_mode: z.enum(['replace', 'insert', 'delete']).optional().describe('replace by default'),
});

export type NotebookEditInput = z.infer<typeof notebookEditInput>;
