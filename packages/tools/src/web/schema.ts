import * as z from 'zod';

export const webFetchInput = z.strictObject({
  url: z.string().min(1).describe('http or https'),
  prompt: z.string().describe('What to find out from the page'),
});

export type WebFetchInput = z.infer<typeof webFetchInput>;
