/** `heddle config`: shows the settings with their sources, and changes them. */
import os from 'node:os';
import { KNOWN_SETTINGS, type Scope, SCOPES, setSettingIn, valueAt } from '@heddle/agent/settings';
import type { Json } from '@heddle/core';
import { NO_FLAGS, permissionSetup } from '../permissions/setup.ts';
import { escapeControls, jsonText } from '../terminal/escape-controls.ts';
import { fail, misuse, warn } from '../terminal/write-message.ts';
import { effectiveSettings } from './effective.ts';
import { editDistance } from '../arguments/collect-flags.ts';
import { printResult, readSubcommand } from '../arguments/subcommand.ts';

const HELP = `heddle config list [--json]                 the settings in effect here, and their sources
heddle config get KEY                       one value, as JSON; exit code 1 if it is not set
heddle config set KEY VALUE [--scope S]     VALUE is JSON or a text; --force sets an unknown key
heddle config unset KEY [--scope S]
heddle config keys [--json]                 the keys that Heddle uses
heddle config schema                        the JSON schema of settings files, for editors
heddle config path [--json]                 the settings files, from the highest scope to the lowest

Scopes: user (default), project (committed with it), local (this checkout only).
A key inside an object is written with dots: sandbox.enabled. To change rules, use: heddle permissions add
`;

export async function config(argv: readonly string[]): Promise<number> {
  const read = readSubcommand(argv, {
    json: { type: 'boolean' },
    help: { type: 'boolean', short: 'h' },
    scope: { type: 'string', short: 's' },
    force: { type: 'boolean' },
  });
  if (!read.ok) return misuse(read.message);
  const { values, positionals } = read;
  const [verb = 'list', key, value, ...more] = positionals;
  if (values.help || verb === 'help') return print(HELP);
  if (more.length > 0)
    return misuse(`config ${verb} takes fewer arguments. Put quotes around a value with spaces.`);
  const scope = SCOPES.find((name) => name === (values.scope ?? 'user'));
  if (!scope) return misuse(`--scope takes one of ${SCOPES.join(', ')}, not ${values.scope}`);
  switch (verb) {
    case 'list':
      return list(values.json === true);
    case 'get':
      return key === undefined ? misuse('config get takes a KEY') : get(key);
    case 'set':
      if (key === undefined || value === undefined) return misuse('config set takes KEY VALUE');
      return set(scope, key, valueOf(value), values.force === true);
    case 'unset':
      return key === undefined ? misuse('config unset takes a KEY') : change(scope, key, undefined);
    case 'keys':
      return keys(values.json === true);
    case 'schema': {
      const { settingsSchema } = await import('@heddle/agent/reference');
      return print(`${jsonText(settingsSchema(), 2)}\n`);
    }
    case 'path':
      return paths(values.json === true);
    default:
      return misuse(`config ${verb} is not a command. Use list, get, set, unset, keys, schema or path.`);
  }
}

function keys(json: boolean): number {
  const known = Object.entries(KNOWN_SETTINGS).map(([key, { meaning, expects }]) => ({
    key,
    meaning,
    expects,
  }));
  if (json) return print(`${jsonText(known, 2)}\n`);
  return print(
    known.map(({ key, meaning, expects }) => `${key.padEnd(42)}${meaning} (${expects})\n`).join(''),
  );
}

function paths(json: boolean): number {
  const { places } = effectiveSettings();
  if (json) return print(`${jsonText(places, 2)}\n`);
  const lines = places.map(
    ({ source, file, exists }) => `${source.padEnd(9)}${file}${exists ? '' : '  (does not exist)'}\n`,
  );
  return print(lines.join(''));
}

async function list(json: boolean): Promise<number> {
  const { entries } = effectiveSettings();
  const { notes } = await permissionSetup(NO_FLAGS);
  for (const note of notes) warn(note);
  if (json) return print(`${jsonText(entries, 2)}\n`);
  if (entries.length === 0) return print('Nothing is set. To list the keys, use: heddle config keys\n');
  return print(
    entries
      .map(({ key, value, from, honored }) => {
        const unused = honored ? '' : '; Heddle does not use this key';
        return `${key} = ${JSON.stringify(value)}  (${from}${unused})\n`;
      })
      .join(''),
  );
}

function get(key: string): number {
  const value = valueAt(effectiveSettings().merged, key.split('.'));
  if (value !== undefined) return print(`${jsonText(value)}\n`);
  if (isKnown(key)) return 1;
  return fail(`${key} is not set, and is not a known key${advice(key)}.`);
}

/** Rejects unknown keys: with a mistyped key, the user would rely on a protection that is not in effect. */
function set(scope: Scope, key: string, value: Json, force: boolean): number {
  const known = Object.hasOwn(KNOWN_SETTINGS, key) ? KNOWN_SETTINGS[key] : undefined;
  if (known && !known.accepts(value))
    return misuse(`${key} takes ${known.expects}, not ${JSON.stringify(value)}`);
  if (!isKnown(key) && !force)
    return misuse(`${key} is not a known key${advice(key)}. To set it anyway, use --force.`);
  return change(scope, key, value);
}

function change(scope: Scope, key: string, value: Json | undefined): number {
  const places = { cwd: process.cwd(), home: os.homedir(), env: process.env };
  const edited = setSettingIn(scope, key.split('.'), value, places);
  const { file } = edited;
  if (!edited.ok) return fail(edited.message);
  return print(
    `${key}: ${edited.changed ? (value === undefined ? 'removed' : 'set') : 'nothing to change'} (${scope}, ${file})\n`,
  );
}

function isKnown(key: string): boolean {
  return Object.hasOwn(KNOWN_SETTINGS, key) || isInside(key);
}

/** Suggests the key that was probably meant: one with a similar spelling, or one inside the named object. */
function advice(key: string): string {
  const known = Object.keys(KNOWN_SETTINGS);
  const inside = known.filter((one) => one.startsWith(`${key}.`));
  const near = known.find((one) => editDistance(one.toLowerCase(), key.toLowerCase()) <= 2);
  const meant = near ?? (inside.includes(`${key}.enabled`) ? `${key}.enabled` : inside[0]);
  return meant === undefined ? ' (see heddle config keys)' : ` (did you mean ${meant}?)`;
}

/** Returns true for a part of a known object, such as `env.NAME`. */
function isInside(key: string): boolean {
  return Object.keys(KNOWN_SETTINGS).some((known) => key.startsWith(`${known}.`));
}

/** Reads the value as JSON. Any other text is a string, so that the user does not have to quote it twice. */
function valueOf(text: string): Json {
  try {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what JSON.parse gives is JSON
    return JSON.parse(text) as Json;
  } catch {
    return text;
  }
}

function print(text: string): number {
  return printResult(escapeControls(text));
}
