import * as z from 'zod';

/** The input of the model. */
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

/** The input after the permission host supplied the answers. Several choices are a list. */
export const answeredInput = askUserQuestionInput.extend({
  answers: z.record(z.string(), z.union([z.string(), z.array(z.string())])).optional(),
});

export type AskUserQuestionInput = z.infer<typeof answeredInput>;
