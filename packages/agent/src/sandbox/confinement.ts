/** Confines one command: its policy, its temporary folder, and the notes about it at its end. */
import type { ConfinedEnd, Confinement } from '@heddle/tools';
import { randomUUID } from 'node:crypto';
import { lstat, readlink, realpath, symlink } from 'node:fs/promises';
import path from 'node:path';
import type { SandboxSettings } from '../settings/sandbox-settings.ts';
import { scanFolders, listExistingPaths } from './nested/scan.ts';
import { quarantineNewFiles } from './nested/settle.ts';
import type { SandboxPolicy } from './policy/policy.ts';
import type { Sandbox, Wrapped } from './sandbox.ts';

/** Session state that is read again for each command. */
export interface Confining {
  readonly temp: () => string;
  /** The folder for files that are taken away from commands. */
  readonly quarantine: string;
  /** Without an environment, the current one of commands counts. */
  readonly policyFor: (
    directory: string,
    environment?: Readonly<Record<string, string>>,
  ) => Promise<SandboxPolicy>;
  /** Called when a command starts and when it has ended. */
  readonly begins: () => void;
  readonly ends: () => void;
}

interface CommandInside {
  readonly command: string;
  readonly directory: string;
  readonly environment: Readonly<Record<string, string>> | undefined;
  /** The command may write only its temporary files. */
  readonly readOnly: boolean;
  readonly sandbox: Sandbox;
  readonly settings: SandboxSettings;
  readonly confining: Confining;
}

export async function confineCommand(inside: CommandInside): Promise<Confinement> {
  const { command, directory, environment, readOnly, sandbox, settings, confining } = inside;
  const folder = confining.temp();
  const whole = await confining.policyFor(directory, environment);
  const laid = readOnly ? { ...whole, writable: [folder], unwritable: [], unwritableLike: [] } : whole;
  const folders = laid.writable.filter((place) => place !== folder);
  const before = await scanFolders(folders);
  const policy = { ...laid, unwritable: [...new Set([...laid.unwritable, ...listExistingPaths(before)])] };
  const links = await linksAmong(policy.unwritable);
  const files = await filesAmong([...policy.unwritable, ...policy.unreadable]);
  let wrapped: Wrapped | undefined;
  return {
    report: path.join(folder, `${randomUUID()}.end`),
    async start(script) {
      confining.begins();
      // The sandbox sets TMPDIR to a folder that it chooses.
      const temporary = `export TMPDIR='${folder}' TMP='${folder}' TEMP='${folder}'`;
      wrapped = await sandbox.wrap({
        script: `${temporary}; ${script}`,
        command,
        directory,
        temp: folder,
        policy,
      });
      return wrapped.launch;
    },
    async ended(end: ConfinedEnd) {
      if (!wrapped) return [];
      const { refused, exposed } = await wrapped.ended(end);
      confining.ends();
      const advice = refused.length === 0 ? [] : [adviceOn(laid, folder, settings)];
      return [...refused, ...advice, ...(await lookAfter(exposed))];
    },
  };

  async function lookAfter(exposed: readonly string[]): Promise<readonly string[]> {
    try {
      const now = await scanFolders(folders);
      const changed = await changedLinks(links);
      const suspects = [...exposed, ...changed, ...(policy.takenAway ?? [])];
      const looks = { before, now, kept: policy.unwritable, exposed: suspects };
      return [
        ...(await quarantineNewFiles(looks, confining.quarantine)),
        ...(await putBack(changed, links)),
        ...(await replacedFiles(files)),
      ];
    } catch (thrown) {
      const why = thrown instanceof Error ? thrown.message : String(thrown);
      return [
        `The files that the command made could not be checked: ${why}. Something in it may run outside of the sandbox, later.`,
      ];
    }
  }
}

function adviceOn(
  { writable }: SandboxPolicy,
  temp: string,
  { allowUnsandboxedCommands }: SandboxSettings,
): string {
  const places = [...writable.filter((place) => place !== temp), `${temp} ($TMPDIR)`].join(', ');
  const leave = allowUnsandboxedCommands
    ? 'If it needs more, run it again with dangerouslyDisableSandbox: true; the user is asked then.'
    : 'The settings do not let commands run outside of it.';
  return `Commands may write in ${places}. ${leave}`;
}

/*
 * Links among the guarded paths. A sandbox can protect the target of a link, but not the link itself: a command can
 * replace it.
 */

/** Link → its target, as written in the link. */
type Links = ReadonlyMap<string, string>;

async function linksAmong(paths: readonly string[]): Promise<Links> {
  const links = new Map<string, string>();
  for (const file of paths) {
    const target = await targetOf(file);
    if (target !== undefined) links.set(file, target);
  }
  return links;
}

async function changedLinks(before: Links): Promise<string[]> {
  const changed: string[] = [];
  for (const [file, target] of before) if ((await targetOf(file)) !== target) changed.push(file);
  return changed;
}

/** Restores links after the replacements were removed. Returns whole sentences for the model. */
async function putBack(changed: readonly string[], before: Links): Promise<string[]> {
  const back: string[] = [];
  const lost: string[] = [];
  for (const file of changed) ((await link(before.get(file), file)) ? back : lost).push(file);
  return [
    ...(back.length === 0 ? [] : [`The sandbox put links back that must stay: ${back.join(', ')}.`]),
    ...(lost.length === 0 ? [] : [`Links are gone that must stay: ${lost.join(', ')}.`]),
  ];
}

/*
 * Guarded files. The system removes the guard of a file, also for running commands, if a program outside of the sandbox puts
 * another file in its place. Git writes its settings like this, and so do many editors.
 */

/** File → the number of its inode. */
type Files = ReadonlyMap<string, number>;

async function filesAmong(paths: readonly string[]): Promise<Files> {
  const found = await Promise.all(
    paths.map(async (file): Promise<readonly [string, number] | undefined> => {
      const stats = await lstat(file).catch(() => undefined);
      return stats?.isFile() === true ? [file, stats.ino] : undefined;
    }),
  );
  return new Map(found.filter((entry) => entry !== undefined));
}

/** Returns whole sentences for the model. */
async function replacedFiles(before: Files): Promise<string[]> {
  const now = await filesAmong([...before.keys()]);
  const replaced = [...before].filter(([file, id]) => now.get(file) !== id).map(([file]) => file);
  return replaced.length === 0
    ? []
    : [
        `Another program replaced files while the command ran. From then on the command was able to read and change them: ${replaced.join(', ')}. Tell the user to check them.`,
      ];
}

async function targetOf(file: string): Promise<string | undefined> {
  return readlink(file).catch(() => undefined);
}

async function link(target: string | undefined, file: string): Promise<boolean> {
  const folder = path.dirname(file);
  try {
    if (target === undefined || (await realpath(folder)) !== folder) return false;
    await symlink(target, file);
    return true;
  } catch {
    return false;
  }
}
