import * as z from 'zod';

export const toolSearchInput = z.strictObject({
  query: z.string().min(1).describe('Words, or "select:Name,Other" for tools by name'),
  max_results: z.int().min(1).max(20).optional().describe('5 unless given'),
});

export type ToolSearchInput = z.infer<typeof toolSearchInput>;
