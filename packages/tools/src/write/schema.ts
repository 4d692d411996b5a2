import * as z from 'zod';

export const writeInput = z.strictObject({
  file_path: z.string().min(1),
  content: z.string(),
});

export type WriteInput = z.infer<typeof writeInput>;
