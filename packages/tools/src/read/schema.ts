import * as z from 'zod';

export const readInput = z.strictObject({
  file_path: z.string().describe('Absolute path of the file, or relative to the working directory'),
  offset: z.int().min(1).optional().describe('Line to start at, counted from 1'),
  limit: z.int().min(1).optional().describe('Number of lines to read'),
});

export type ReadInput = z.infer<typeof readInput>;
