/** The kinds of flags, and the parsers of their values. A parser throws `UsageError` for a value that it rejects. */
import { isJsonObject, type JsonObject, type PermissionMode } from '@heddle/core';
import path from 'node:path';
import { type ListKind, UsageError } from './list-flags.ts';

/** The headings of `--help`, in order. */
export const GROUPS = ['Running', 'Model', 'Limits', 'Permission', 'Sessions', 'Prompt', 'Other'] as const;

/** A list of values that the program makes when a shell asks for it. */
export type CandidateKind = 'sessions' | 'keys' | 'models' | 'providers' | 'hookEvents';

export interface FlagHelp {
  readonly group: (typeof GROUPS)[number];
  readonly text: string;
  /** The name of the value. */
  readonly value?: string;
  /** The words that the value can be. */
  readonly words?: readonly string[];
  /** The values that the program offers for completion. */
  readonly candidates?: CandidateKind;
  /** Other spellings of the flag. */
  readonly aliases?: readonly string[];
}

/**
 * The options that a value goes to: those of every surface, or of one. `part`: the value is not an option by itself.
 * `arguments.ts` combines it with others, for example `--continue` and `--resume` to the choice of a session.
 */
export type FlagSurface = 'every' | 'print' | 'chat' | 'part';

export interface Flag<On extends FlagSurface = FlagSurface, To extends string = string, Value = unknown>
  extends FlagHelp {
  readonly surface: On;
  /** The name of the value. */
  readonly to: To;
  /** `session`: a session, or nothing. `maybe`: a value after an equals sign, or nothing. A list: words up to the next flag. */
  readonly takes: 'nothing' | 'value' | 'session' | 'maybe' | ListKind;
  /** `given`: the arguments of the flag, undefined if it is absent. `name`: the flag, for messages. */
  readonly parse: (given: readonly string[] | undefined, name: string) => Value;
}

type Parser<Value> = (text: string, name: string) => Value;

export function switchFlag<On extends FlagSurface, const To extends string>(
  surface: On,
  to: To,
  help: FlagHelp,
): Flag<On, To, boolean> {
  return { ...help, surface, to, takes: 'nothing', parse: (given) => given !== undefined };
}

/** The last value counts if a flag is given twice. */
export function valueFlag<On extends FlagSurface, const To extends string, Value>(
  surface: On,
  to: To,
  parse: Parser<Value>,
  help: FlagHelp,
): Flag<On, To, Value | undefined> {
  const parseLast = (given: readonly string[] | undefined, name: string): Value | undefined =>
    given && parse(given.at(-1) ?? '', name);
  return { ...help, surface, to, takes: 'value', parse: parseLast };
}

export function optionalFlag<On extends FlagSurface, const To extends string, Value>(
  surface: On,
  to: To,
  parse: Parser<Value>,
  help: FlagHelp,
): Flag<On, To, Value | undefined> {
  return { ...valueFlag(surface, to, parse, help), takes: 'maybe' };
}

/** Its value is empty if no session is named. */
export function sessionFlag<On extends FlagSurface, const To extends string>(
  surface: On,
  to: To,
  help: FlagHelp,
): Flag<On, To, string | undefined> {
  return { ...valueFlag(surface, to, plainText, help), takes: 'session' };
}

export function choiceFlag<On extends FlagSurface, const To extends string, const Word extends string>(
  surface: On,
  to: To,
  words: readonly Word[],
  help: FlagHelp,
): Flag<On, To, Word | undefined> {
  return valueFlag(surface, to, (text, name) => oneOf(name, text, words), { ...help, words });
}

export function listFlag<On extends FlagSurface, const To extends string>(
  surface: On,
  to: To,
  takes: ListKind,
  help: FlagHelp,
): Flag<On, To, readonly string[]> {
  return { ...help, surface, to, takes, parse: (given) => given ?? [] };
}

/** Names of tools. Undefined, like the name `default`, means all of them. */
export function toolsFlag<On extends FlagSurface, const To extends string>(
  surface: On,
  to: To,
  help: FlagHelp,
): Flag<On, To, readonly string[] | undefined> {
  const parse = (given: readonly string[] | undefined) => (given?.includes('default') ? undefined : given);
  return { ...help, surface, to, takes: 'tools', parse };
}

export function plainText(text: string): string {
  return text;
}

/** A folder as an absolute path. */
export function folderPath(text: string, name: string): string {
  if (text.trim() === '') throw new UsageError(`${name} takes a folder`);
  return path.resolve(text);
}

export function commaList(text: string): readonly string[] {
  const items = text.split(',').map((item) => item.trim());
  return items.filter(Boolean);
}

export function wholeNumber(text: string, name: string): number {
  if (!/^\d+$/.test(text)) throw new UsageError(`${name} takes a whole number, not ${text}`);
  return Number(text);
}

export function positiveAmount(text: string, name: string): number {
  const amount = /^\d+(\.\d+)?(e[+-]?\d+)?$/i.test(text) ? Number(text) : Number.NaN;
  if (!Number.isFinite(amount) || amount <= 0)
    throw new UsageError(`${name} takes an amount over 0, not ${text}`);
  return amount;
}

export const PERMISSION_MODES: readonly PermissionMode[] = [
  'default',
  'acceptEdits',
  'plan',
  'dontAsk',
  'bypassPermissions',
];

/** Some clients call the default mode `manual`. */
export function permissionMode(text: string, name: string): PermissionMode {
  return oneOf(name, text === 'manual' ? 'default' : text, PERMISSION_MODES);
}

const SETTING_SOURCES = ['user', 'project', 'local'] as const;

export function settingSources(text: string, name: string): readonly (typeof SETTING_SOURCES)[number][] {
  return commaList(text).map((source) => oneOf(name, source, SETTING_SOURCES));
}

export function jsonSchema(text: string, name: string): JsonObject {
  return jsonObject(text, `${name} takes a JSON Schema object`);
}

/** Agent definitions by name. The program reports fields that it does not understand. */
export function agentsObject(text: string, name: string): JsonObject {
  return jsonObject(text, `${name} takes a JSON object of agents by name`);
}

function jsonObject(text: string, problem: string): JsonObject {
  try {
    const value: unknown = JSON.parse(text);
    if (isJsonObject(value)) return value;
  } catch {
    // The error below reports it.
  }
  throw new UsageError(problem);
}

/** Session ids are UUIDs: every client sends one, and no two sessions share one by accident. */
export function uuid(text: string, name: string): string {
  if (/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text)) return text;
  throw new UsageError(`${name} takes a UUID, not ${text}; a title is given with --name`);
}

/** `stdio`, or the tool of an MCP server. */
export function promptToolName(text: string, name: string): string {
  return text.startsWith('mcp__') ? text : oneOf(name, text, ['stdio']);
}

function oneOf<T extends string>(name: string, value: string, allowed: readonly T[]): T {
  const found = allowed.find((candidate) => candidate === value);
  if (!found) throw new UsageError(`${name} takes one of ${allowed.join(', ')}, not ${value}`);
  return found;
}
