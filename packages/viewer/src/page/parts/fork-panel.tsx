/** Continues a session from one of its messages, as a new session: with a command, or from the page. */
import { useState } from 'preact/hooks';
import type { ViewerSource } from '../../model/api.ts';
import { go } from '../data/route.ts';

interface ForkPanelProps {
  readonly source: ViewerSource;
  readonly id: string;
  readonly uuid: string;
  /** The folder of the session, in which the command must run. */
  readonly cwd: string;
  /** The server may start a session. */
  readonly canFork: boolean;
  readonly onClose: () => void;
}

export function ForkPanel({ source, id, uuid, cwd, canFork, onClose }: ForkPanelProps) {
  const [prompt, setPrompt] = useState('');
  const [message, setMessage] = useState('');
  const command = `cd ${quoted(cwd)} && heddle --resume ${id} --fork-session --resume-session-at ${quoted(uuid)}`;
  const start = (): void => {
    setMessage('Starting…');
    source.fork(id, uuid, prompt).then(
      (forked) => go({ page: 'session', id: forked, view: 'transcript', line: undefined }),
      (thrown: unknown) => setMessage(thrown instanceof Error ? thrown.message : String(thrown)),
    );
  };
  return (
    <div class="fork" role="dialog" aria-label="Fork from here">
      <p>This command continues from this message as a new session. The old one stays as it is.</p>
      <pre class="plain">{command}</pre>
      <div class="toolbar">
        <button type="button" onClick={() => void navigator.clipboard.writeText(command)}>
          Copy
        </button>
        <button type="button" onClick={onClose}>
          Close
        </button>
      </div>
      {canFork ? (
        <form
          class="toolbar"
          onSubmit={(event) => {
            event.preventDefault();
            start();
          }}
        >
          <input
            type="search"
            placeholder="Prompt of the new session"
            aria-label="Prompt of the new session"
            value={prompt}
            onInput={(event) => setPrompt(event.currentTarget.value)}
          />
          <button type="submit" disabled={prompt.trim() === ''}>
            Start
          </button>
        </form>
      ) : null}
      {message === '' ? null : <p role="status">{message}</p>}
    </div>
  );
}

/** Quotes a word for a POSIX shell. */
function quoted(word: string): string {
  return /^[\w./-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
}
