/** The session for crash tests: reads, effects on disk, and a model that does not repeat its calls. */
import { call, type ScriptPart, type RequestBody, say, type ScriptStep, think } from '@heddle/testing';

export const PROMPT = 'Do the whole job [prompt].';
export const CONTINUE = 'Continue [continue].';

export const EFFECTS_FILE = 'effects.txt';

/** The calls with effects, in order. */
export const EFFECTS = ['b1', 'b2', 'b3', 'b4'] as const;

/** A call that appends its id to the effects file. */
function effect(id: string): ScriptPart {
  const kill = (when: string): string => `[ "$HEDDLE_CRASH_EFFECT" = ${id}:${when} ] && kill -9 $PPID`;
  const command = `${kill('before')}; printf '${id}\\n' >> ${EFFECTS_FILE}; ${kill('after')}; true`;
  return call('Bash', { command }, id);
}

function read(id: string): ScriptPart {
  return call('Read', { file_path: 'notes.txt' }, id);
}

const ANSWERS: readonly { readonly says?: string; readonly calls: readonly string[] }[] = [
  { says: 'I look around first.', calls: ['r1', 'b1'] },
  { calls: ['b2', 'b3'] },
  { says: 'Half of it is done, and here is a text that takes a while to arrive.', calls: ['r2'] },
  { says: 'Now the rest.', calls: ['b4', 'r3'] },
];

/** The answer to a request: the next calls, without those that the request already contains. */
export function reply(body: RequestBody, request: number): ScriptStep {
  const made = JSON.stringify(body['messages'] ?? []);
  for (const { says, calls } of ANSWERS) {
    const left = calls.filter((id) => !made.includes(`"id":"${id}"`));
    if (left.length === 0) continue;
    // Each text names its request, so that it can be found again.
    const text = says === undefined ? [] : [say(`${says} [said ${request}]`)];
    return [
      ...thoughts(body, request),
      ...text,
      ...left.map((id) => (id.startsWith('b') ? effect(id) : read(id))),
    ];
  }
  return [...thoughts(body, request), say(`All is done. [said ${request}]`)];
}

/** The model thinks before it answers, if the request asks for it. */
function thoughts(body: RequestBody, request: number): readonly ScriptPart[] {
  const isAsked = JSON.stringify(body['thinking'] ?? {}).includes('"enabled"');
  return isAsked ? [think(`What comes next? ${request}`)] : [];
}
