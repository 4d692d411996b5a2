/** A message in place of a view: an error, or the absence of data. */
import type { LogFact } from '../../model/facts.ts';

interface ProblemProps {
  readonly title: string;
  readonly message?: string;
}

export function Problem({ title, message }: ProblemProps) {
  return (
    <div class="problem" role="alert">
      <h2>{title}</h2>
      {message === undefined ? null : <p>{message}</p>}
    </div>
  );
}

/** In place of a view that needs the token counts of answers. It names the reason if the log lacks them. */
export function NoAnswers({ title, facts }: { readonly title: string; readonly facts: readonly LogFact[] }) {
  const hasAnswers = facts.some((fact) => fact.type === 'message' && fact.kind === 'answer');
  const reason =
    'The log has answers without token counts. Another program wrote it, or the run was cut off.';
  return hasAnswers ? <Problem title={title} message={reason} /> : <Problem title={title} />;
}
