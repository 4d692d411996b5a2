/** Formats an explanation as text for the user. */
import { shellQuoted } from '../terminal/escape-controls.ts';
import type { Explained } from './explain.ts';

const HEADS = {
  allow: 'Heddle would do this without asking.',
  ask: 'Heddle would ask you first.',
  deny: 'Heddle would deny this.',
} as const;

const ACTIONS = {
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
    `${decision}: ${HEADS[decision]} ${reason.replaceAll('\n', '\n  ')}`,
    ...partLines(explained),
    ...adviceLines(explained),
  ];
  return `${lines.join('\n')}\n`;
}

/** Formats the parts of the call. Allowed reads without a rule are left out, because they do not affect the decision. */
function partLines({ parts, reason }: Explained): string[] {
  const relevant = parts.filter(
    ({ kind, decision, rule }) => kind !== 'read' || decision !== 'allow' || rule !== undefined,
  );
  const [first] = relevant;
  if (relevant.length < 2 && (first === undefined || first.reason === reason)) return [];
  return [
    '',
    'Parts:',
    ...relevant.flatMap((part) => [
      `  ${part.decision.padEnd(6)}${ACTIONS[part.kind]} ${part.part.replaceAll('\n', '\n  ')}`,
      `        ${part.reason.replaceAll('\n', '\n        ')}`,
    ]),
  ];
}

function adviceLines({ decision, rule, source, suggestions, reason }: Explained): string[] {
  if (decision === 'allow') return [];
  if (rule !== undefined) {
    // A deny rule asks if it is not certain that it matches.
    const isDenied = decision === 'deny' && !reason.includes('dontAsk');
    const list = isDenied || reason.includes(' says deny') ? 'deny' : 'ask';
    const scope = SCOPES.find((known) => known === source);
    return scope === undefined
      ? []
      : [
          '',
          'To remove the rule:',
          `  heddle permissions remove ${list} ${shellQuoted(rule)} --scope ${scope}`,
        ];
  }
  if (decision === 'deny') return [];
  const advice = suggestions.flatMap((update): string[] => {
    if (update.type === 'addRules')
      return update.rules.map(({ toolName, ruleContent }) => {
        const text = ruleContent === undefined ? toolName : `${toolName}(${ruleContent})`;
        return `  heddle permissions add allow ${shellQuoted(text)}`;
      });
    if (update.type === 'addDirectories')
      return update.directories.map((folder) => `  heddle --add-dir ${shellQuoted(folder)}`);
    return update.type === 'setMode' ? [`  heddle --permission-mode ${update.mode}`] : [];
  });
  if (advice.length === 0) return ['', 'No rule can allow this. Heddle asks each time.'];
  const lasts = suggestions.some(({ type }) => type === 'addRules');
  return [
    '',
    lasts ? 'To allow it in this project from now on:' : 'To allow it for one session, start it with:',
    ...advice,
  ];
}

const SCOPES = ['local', 'project', 'user'] as const;
