import * as z from 'zod';

export const grepInput = z.strictObject({
  pattern: z.string().min(1).describe('Regular expression'),
  path: z.string().min(1).optional().describe('File or folder; the working directory unless given'),
  glob: z.string().min(1).optional().describe('Only files such as "*.{ts,tsx}" or "!*.test.ts"'),
  type: z.string().min(1).optional().describe('Only files of a type such as ts, py, rust'),
  output_mode: z
    .enum(['content', 'files_with_matches', 'count'])
    .optional()
    .describe('files_with_matches unless given'),
  '-i': z.boolean().optional().describe('Ignore case'),
  '-n': z.boolean().optional().describe('Line numbers; true unless given'),
  '-A': z.int().min(0).optional().describe('Lines after each match'),
  '-B': z.int().min(0).optional().describe('Lines before'),
  '-C': z.int().min(0).optional().describe('Lines before and after'),
  multiline: z.boolean().optional().describe('Patterns may span lines; . matches newlines'),
  head_limit: z.int().min(0).optional().describe('Lines or files shown; 250 unless given'),
  offset: z.int().min(0).optional().describe('Lines or files to skip'),
});

export type GrepInput = z.infer<typeof grepInput>;
