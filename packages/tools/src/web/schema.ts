import * as z from 'zod';

export const webFetchInput = z.strictObject({
  url: z.string().min(1).describe('http or https'),
  prompt: z.string().describe('The question about the page'),
});

const domains = z
  .array(z.string().regex(/^[\w*-]+(\.[\w*-]+)+(\/\S*)?$/, 'a domain such as example.com'))
  .min(1);

export const webSearchInput = z.strictObject({
  query: z.string().min(2),
  allowed_domains: domains.optional().describe('Only results from these, such as "example.com"'),
  blocked_domains: domains.optional().describe('No results from these'),
});

export type WebSearchInput = z.infer<typeof webSearchInput>;
export type WebFetchInput = z.infer<typeof webFetchInput>;
