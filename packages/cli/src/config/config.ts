/** `heddle config`: what is set, where it comes from, and changing it. */
import os from 'node:os';
import { parseArgs } from 'node:util';
import { KNOWN_SETTINGS, type Scope, SCOPES, setSetting, settingsFileOf } from '@heddle/agent/settings';
import type { Json } from '@heddle/core';
import { harmless } from '../terminal/harmless.ts';
import { say } from '../terminal/say.ts';
import { effectiveSettings, valueAt } from './effective.ts';

const HELP = `heddle config list [--json]                what is set here, and where it comes from
heddle config get KEY                       one value, as JSON; exit code 1 where it is not set
heddle config set KEY VALUE [--scope S]     VALUE is JSON, or a text
heddle config unset KEY [--scope S]
heddle config keys                          the keys that Heddle honours
heddle config path                          the settings files, from the highest scope to the lowest

Scopes: user (default), project (committed with it), local (this checkout only).
A key inside an object has dots: sandbox.enabled. Rules are easier with: heddle permissions add
`;

export async function config(argv: readonly string[]): Promise<number> {
  let read;
  try {
    read = parseArgs({
      args: [...argv],
      allowPositionals: true,
      options: {
        json: { type: 'boolean' },
        help: { type: 'boolean', short: 'h' },
        scope: { type: 'string', short: 's' },
      },
    });
  } catch (thrown) {
    return refused(thrown instanceof Error ? thrown.message : String(thrown));
  }
  const { values, positionals } = read;
  const [verb = 'list', key, value, ...more] = positionals;
  if (values.help || verb === 'help') return tell(HELP);
  if (more.length > 0)
    return refused(`config ${verb} takes fewer words; put quotes around a value with spaces`);
  const scope = SCOPES.find((name) => name === (values.scope ?? 'user'));
  if (!scope) return refused(`--scope takes one of ${SCOPES.join(', ')}, not ${values.scope}`);
  switch (verb) {
    case 'list':
      return list(values.json === true);
    case 'get':
      return key === undefined ? refused('config get takes a KEY') : get(key);
    case 'set':
      if (key === undefined || value === undefined) return refused('config set takes KEY VALUE');
      return change(scope, key, valueOf(value));
    case 'unset':
      return key === undefined ? refused('config unset takes a KEY') : change(scope, key, undefined);
    case 'keys':
      return tell(
        Object.entries(KNOWN_SETTINGS)
          .map(([name, { meaning, expects }]) => `${name.padEnd(42)}${meaning} (${expects})\n`)
          .join(''),
      );
    case 'path':
      return tell(
        effectiveSettings()
          .places.map(
            ({ source, file, exists }) => `${source.padEnd(9)}${file}${exists ? '' : '  (not there)'}\n`,
          )
          .join(''),
      );
    default:
      return refused(`config ${verb} is not known; there are list, get, set, unset, keys, path`);
  }
}

function list(json: boolean): number {
  const { entries, problems, leftOut } = effectiveSettings();
  for (const note of [...problems, ...leftOut]) process.stderr.write(`heddle: ${harmless(note)}\n`);
  if (json) return tell(`${JSON.stringify(entries, undefined, 2)}\n`);
  if (entries.length === 0) return tell('Nothing is set. The keys there are: heddle config keys\n');
  return tell(
    entries
      .map(({ key, value, from, honoured }) => {
        const unused = honoured ? '' : '; not a key of Heddle';
        return `${key} = ${JSON.stringify(value)}  (${from}${unused})\n`;
      })
      .join(''),
  );
}

function get(key: string): number {
  const value = valueAt(effectiveSettings().merged, key.split('.'));
  if (value === undefined) return 1;
  return tell(`${JSON.stringify(value)}\n`);
}

function change(scope: Scope, key: string, value: Json | undefined): number {
  const known = Object.hasOwn(KNOWN_SETTINGS, key) ? KNOWN_SETTINGS[key] : undefined;
  if (known && value !== undefined && !known.accepts(value))
    return refused(`${key} takes ${known.expects}, not ${JSON.stringify(value)}`);
  const file = settingsFileOf(scope, { cwd: process.cwd(), home: os.homedir(), env: process.env });
  const edited = setSetting(file, key.split('.'), value);
  if (!edited.ok) return refused(edited.message, 1);
  if (!known && value !== undefined && !isInside(key))
    process.stderr.write(
      `heddle: ${harmless(key)} is not a key that Heddle knows; it was set all the same\n`,
    );
  return tell(
    `${key}: ${edited.changed ? (value === undefined ? 'taken out' : 'set') : 'nothing to change'} (${scope}, ${file})\n`,
  );
}

/** `env.NAME` and the like: a part of a known object. */
function isInside(key: string): boolean {
  return Object.keys(KNOWN_SETTINGS).some((known) => key.startsWith(`${known}.`));
}

/** What is not JSON is a text, so that nobody has to quote twice. */
function valueOf(text: string): Json {
  try {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what JSON.parse gives is JSON
    return JSON.parse(text) as Json;
  } catch {
    return text;
  }
}

function tell(text: string): number {
  say(harmless(text));
  return 0;
}

function refused(message: string, code = 2): number {
  process.stderr.write(`heddle: ${harmless(message)}\n`);
  return code;
}
