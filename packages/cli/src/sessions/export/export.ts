/** `heddle sessions export`: a session for others to read, on standard output or in a file. */
import { existsSync, writeFileSync } from 'node:fs';
import { readTranscript, type SessionSummary } from '@heddle/agent/sessions';
import { harmless } from '../../terminal/harmless.ts';
import { say } from '../../terminal/say.ts';
import { jsonText } from '../../terminal/json-text.ts';
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
  const text = exportText(format, picked.session);
  if (output === undefined) {
    say(text);
    return 0;
  }
  try {
    // Whatever was said and read is in it: for the owner, until he hands it on.
    const isThere = existsSync(output);
    writeFileSync(output, text, { mode: 0o600 });
    process.stderr.write(`heddle: ${harmless(output)} was ${isThere ? 'replaced' : 'written'}\n`);
    return 0;
  } catch (thrown) {
    return refused(
      `${output} cannot be written: ${thrown instanceof Error ? thrown.message : String(thrown)}`,
    );
  }
}

export function exportText(format: ExportFormat, session: SessionSummary): string {
  const transcript = readTranscript(session.path);
  switch (format) {
    case 'markdown':
      return asMarkdown(session, transcript);
    case 'html':
      return asHtml(session, transcript);
    case 'json':
      return `${jsonText({ session: asJson(session), items: transcript.items }, 2)}\n`;
  }
}
