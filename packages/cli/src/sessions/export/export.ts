/** `heddle sessions export`: a session for others to read, on standard output or in a file. */
import { writeFileSync } from 'node:fs';
import { readTranscript, type SessionSummary, type Transcript } from '@heddle/agent/sessions';
import { harmless } from '../../terminal/harmless.ts';
import { say } from '../../terminal/say.ts';
import { asJson } from '../list.ts';
import { pick, refused } from '../pick.ts';
import type { ExportFormat, SessionsCommand } from '../words.ts';
import { asHtml } from './html.ts';
import { asMarkdown } from './markdown.ts';

export function exportSession({
  session: word,
  format,
  output,
}: Extract<SessionsCommand, { name: 'export' }>): number {
  const picked = pick(word);
  if (!picked.ok) return refused(picked.message);
  const text = write(format, picked.session, readTranscript(picked.session.path));
  if (output === undefined) {
    say(process.stdout.isTTY ? harmless(text) : text);
    return 0;
  }
  try {
    // Whatever was said and read is in it: for the owner, until he hands it on.
    writeFileSync(output, text, { mode: 0o600 });
    return 0;
  } catch (thrown) {
    return refused(
      `${output} cannot be written: ${thrown instanceof Error ? thrown.message : String(thrown)}`,
    );
  }
}

function write(format: ExportFormat, session: SessionSummary, transcript: Transcript): string {
  switch (format) {
    case 'markdown':
      return asMarkdown(session, transcript);
    case 'html':
      return asHtml(session, transcript);
    case 'json':
      return `${JSON.stringify({ session: asJson(session), items: transcript.items }, undefined, 2)}\n`;
  }
}
