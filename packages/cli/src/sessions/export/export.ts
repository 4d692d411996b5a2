/** `heddle sessions export`: writes a session in a readable format to standard output or to a file. */
import { existsSync } from 'node:fs';
import { readTranscript, type SessionSummary } from '@heddle/agent/sessions';
import { errorMessage } from '@heddle/core';
import { jsonText } from '../../terminal/escape-controls.ts';
import { fail, warn, writeMessage } from '../../terminal/write-message.ts';
import { asJson } from '../list.ts';
import { pick } from '../pick.ts';
import type { ExportFormat, SessionsCommand } from '../parse-command.ts';
import { asHtml } from './html.ts';
import { asMarkdown } from './markdown.ts';
import { writePrivateFile } from './write-private-file.ts';

export function exportSession({
  session: word,
  format,
  output,
}: Extract<SessionsCommand, { name: 'export' }>): number {
  const picked = pick(word);
  if (!picked.ok) return fail(picked.message);
  const text = exportText(format, picked.session);
  if (output === undefined) {
    writeMessage(text);
    return 0;
  }
  try {
    const isThere = existsSync(output);
    writePrivateFile(output, text);
    warn(`${output} was ${isThere ? 'replaced' : 'written'}`);
    return 0;
  } catch (thrown) {
    return fail(`${output} cannot be written: ${errorMessage(thrown)}`);
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
