/** An explanation as somebody reads it who has never seen one. */
import type { Explained } from './explain.ts';

const HEADS = {
  allow: 'Heddle would do this without asking.',
  ask: 'Heddle would ask you first.',
  deny: 'Heddle would refuse this.',
} as const;

const DEEDS = {
  call: 'call',
  command: 'run',
  read: 'read',
  write: 'write',
  remove: 'remove',
  fetch: 'fetch',
} as const;

export function explanationText(explained: Explained): string {
  const { decision, reason } = explained;
  const lines = [
    `${decision}: ${HEADS[decision]} ${reason}`,
    ...partLines(explained),
    ...adviceLines(explained),
  ];
  return `${lines.join('\n')}\n`;
}

/** One part is the call itself. What is read and no rule speaks of decides nothing. */
function partLines({ parts, reason }: Explained): string[] {
  const telling = parts.filter(
    ({ kind, decision, rule }) => kind !== 'read' || decision !== 'allow' || rule !== undefined,
  );
  const [first] = telling;
  if (telling.length < 2 && (first === undefined || first.reason === reason)) return [];
  return [
    '',
    'Part by part:',
    ...telling.flatMap((part) => [
      `  ${part.decision.padEnd(6)}${DEEDS[part.kind]} ${part.part.replaceAll('\n', '\n  ')}`,
      `        ${part.reason}`,
    ]),
  ];
}

function adviceLines({ decision, rule, source, suggestions, reason }: Explained): string[] {
  if (decision === 'allow') return [];
  if (rule !== undefined) {
    const list = decision === 'deny' && !reason.includes('dontAsk') ? 'deny' : 'ask';
    const scope = SCOPES.find((known) => known === source);
    return scope === undefined
      ? []
      : ['', 'To lift the rule:', `  heddle permissions remove ${list} ${quoted(rule)} --scope ${scope}`];
  }
  if (decision === 'deny') return [];
  const advice = suggestions.flatMap((update): string[] => {
    if (update.type === 'addRules')
      return update.rules.map(({ toolName, ruleContent }) => {
        const text = ruleContent === undefined ? toolName : `${toolName}(${ruleContent})`;
        return `  heddle permissions add allow ${quoted(text)}`;
      });
    if (update.type === 'addDirectories')
      return update.directories.map((folder) => `  heddle --add-dir ${quoted(folder)}`);
    return update.type === 'setMode' ? [`  heddle --permission-mode ${update.mode}`] : [];
  });
  if (advice.length === 0) return ['', 'There is no rule to offer for this: you are asked each time.'];
  const lasts = suggestions.some(({ type }) => type === 'addRules');
  return [
    '',
    lasts ? 'To allow it in this project from now on:' : 'To allow it for one session, start it with:',
    ...advice,
  ];
}

const SCOPES = ['local', 'project', 'user'] as const;

/** As a shell would want it typed. */
function quoted(text: string): string {
  return /^[\w./:-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
