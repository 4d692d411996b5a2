/**
 * Keys to models. They are not in the environment of this process or of its children, where every process of the same user
 * could read them (`/proc/PID/environ`, `ps e`). `bin/heddle` passes them through a descriptor; a key that is in the
 * environment all the same is taken out of it before anything else starts.
 */
import { closeSync, fstatSync, readFileSync } from 'node:fs';
import {
  type Environment,
  isSecretVariable,
  SECRET_VARIABLES,
  withoutSecrets,
} from '@heddle/models/environment';

/** Names the descriptor that the launcher opened. */
const DESCRIPTOR = 'HEDDLE_KEYS_FD';

/** Names of keys that commands may have, separated by commas or spaces. */
const PASSED = 'HEDDLE_PASS_KEYS';

/** Variables that are, or repeat, a key. */
const kept = new Map<string, string>();

/**
 * The login of the database of a fleet. Only `heddle fleet` takes these variables out of the environment: in other runs they are those
 * of the user's own programs.
 */
export const FLEET_VARIABLES = ['DATABASE_URL', 'PGPASSWORD'] as const;
const ofFleet = new Map<string, string>();
/** Texts of this login. Variables that contain one are kept out, too. */
const fleetSecrets = new Set<string>();

/** Called once, at the start. */
export function takeKeys(): void {
  const descriptor = process.env[DESCRIPTOR];
  delete process.env[DESCRIPTOR];
  if (descriptor !== undefined && /^\d+$/.test(descriptor)) readKeys(Number(descriptor));
  keepOut();
}

/** Variables of the settings: keys among them are kept with the others. */
export function setVariables(variables: Readonly<Record<string, string>>): void {
  for (const name of Object.keys(variables)) kept.delete(name);
  Object.assign(process.env, variables);
  keepOut();
  keepOutFleet();
}

/** Called by `heddle fleet`, before it starts anything. The process may have been started without the launcher. */
export function takeFleetLogin(): Readonly<Partial<Record<(typeof FLEET_VARIABLES)[number], string>>> {
  for (const name of FLEET_VARIABLES) {
    const value = process.env[name];
    delete process.env[name];
    if (value) ofFleet.set(name, value);
  }
  return Object.fromEntries(ofFleet);
}

/** Keeps variables that repeat the login under another name out of the environment of children. */
export function hideFleetLogin(secrets: readonly string[]): void {
  for (const secret of secrets) fleetSecrets.add(secret);
  keepOutFleet();
}

function keepOutFleet(): void {
  for (const [name, value = ''] of Object.entries(process.env))
    if ([...fleetSecrets].some((secret) => value.includes(secret))) delete process.env[name];
}

/** For the models, which need the keys. */
export function modelEnvironment(): Environment {
  return { ...process.env, ...Object.fromEntries(kept) };
}

/**
 * Returns the variables that this process keeps, for another process of this program: descriptor 3, `HEDDLE_KEYS_FD=3`. JSON, because
 * variables of any name may repeat a key, and values may contain line breaks.
 */
export function keysForProcess(): string {
  return JSON.stringify(Object.fromEntries(kept));
}

/** Variables for commands, from hooks. They win over the environment. */
const forCommands = new Map<string, string>();

export function addCommandVariables(variables: Readonly<Record<string, string>>): void {
  for (const [name, value] of Object.entries(variables)) forCommands.set(name, value);
}

/** For commands of the model: without keys, but for those that the user names. */
export function commandEnvironment(): Record<string, string> {
  const all = new Map([...ofFleet, ...kept]);
  const passed = (process.env[PASSED] ?? '').split(/[\s,]+/).filter((name) => all.has(name));
  const keys = passed.map((name): [string, string] => [name, all.get(name) ?? '']);
  return {
    ...withoutSecrets(modelEnvironment()),
    ...Object.fromEntries(keys),
    ...Object.fromEntries(forCommands),
  };
}

/** Takes keys, and variables that repeat one, out of the environment that children inherit. */
function keepOut(): void {
  const all = modelEnvironment();
  const clean = withoutSecrets(all);
  for (const [name, value] of Object.entries(process.env)) {
    if (value === undefined || Object.hasOwn(clean, name)) continue;
    kept.set(name, value);
    delete process.env[name];
  }
}

/** Reads what the launcher or another process of this program passed. */
function readKeys(descriptor: number): void {
  try {
    const about = fstatSync(descriptor);
    // Node passes a socket where a shell passes a pipe or a file.
    if (!about.isFIFO() && !about.isFile() && !about.isSocket()) return;
    const text = readFileSync(descriptor, 'utf8');
    closeSync(descriptor);
    if (text.startsWith('{')) readObject(text);
    else readLines(text);
  } catch {
    // The descriptor is not there: the variable came from somewhere else.
  }
}

function readObject(text: string): void {
  const parsed: unknown = JSON.parse(text);
  const variables: [string, unknown][] = Object.entries(parsed ?? {});
  for (const [name, value] of variables) if (typeof value === 'string') kept.set(name, value);
}

/** The launcher writes one variable a line, `NAME=value`, of known names only. A value may have line breaks of its own. */
function readLines(text: string): void {
  const names = new RegExp(`^(${[...SECRET_VARIABLES, ...FLEET_VARIABLES].join('|')})=`, 'm');
  const [, ...parts] = text.split(names);
  for (let at = 0; at < parts.length; at += 2) {
    const name = parts[at] ?? '';
    const value = (parts[at + 1] ?? '').replace(/(?<!\n)\n+$/, '');
    if (isSecretVariable(name)) kept.set(name, value);
    else if (value !== '') ofFleet.set(name, value);
  }
}
