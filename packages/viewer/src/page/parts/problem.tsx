/** A message in place of a view: an error, or the absence of data. */
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
