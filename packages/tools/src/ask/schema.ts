import * as z from 'zod';

export const askUserQuestionInput = z.strictObject({
  questions: z
    .array(
      z.strictObject({
        question: z.string().min(1),
        header: z.string().min(1).describe('One or two words'),
        options: z
          .array(z.strictObject({ label: z.string().min(1), description: z.string().optional() }))
          .min(2)
          .max(4)
          .describe('The user can always answer something else'),
        multiSelect: z.boolean().optional(),
      }),
    )
    .min(1)
    .max(4),
});

export type AskUserQuestionInput = z.infer<typeof askUserQuestionInput>;
