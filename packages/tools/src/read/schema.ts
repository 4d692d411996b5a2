import * as z from 'zod';

export const readInput = z.strictObject({
  file_path: z.string().min(1).describe('Absolute, or relative to the working directory'),
  // Some models count from 0.
  offset: z
    .int()
    .min(0)
    .transform((line) => Math.max(1, line))
    .optional()
    .describe('First line (or notebook cell) to show, from 1'),
  limit: z.int().min(1).optional().describe('Number of lines (or cells)'),
  pages: z.string().optional().describe('PDF only: pages such as "3" or "1-5"'),
});

export type ReadInput = z.infer<typeof readInput>;
