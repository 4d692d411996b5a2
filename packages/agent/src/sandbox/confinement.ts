/** One command inside: its policy, its folder for what is temporary, and what is said about it at its end. */
import { randomUUID } from 'node:crypto';
import path from 'node:path';
import type { ConfinedEnd, Confinement } from '@heddle/tools';
import type { SandboxSettings } from '../settings/sandbox.ts';
import { changedLinks, linksAmong, putBack } from './nested/links.ts';
import { scan, standing } from './nested/scan.ts';
import { settleNewcomers } from './nested/settle.ts';
import type { SandboxPolicy } from './policy/policy.ts';
import type { Sandbox, Wrapped } from './sandbox.ts';

/** What changes while a session goes on, asked for anew with each command. */
export interface Confining {
  readonly temp: () => string;
  /** For what is taken away from commands. */
  readonly quarantine: string;
  readonly policyFor: (directory: string) => Promise<SandboxPolicy>;
  /** A command begins, or is over. */
  readonly begins: () => void;
  readonly ends: () => void;
}

export interface CommandInside {
  readonly command: string;
  readonly directory: string;
  /** It may write nothing but its temporary files. */
  readonly readOnly: boolean;
  readonly sandbox: Sandbox;
  readonly settings: SandboxSettings;
  readonly confining: Confining;
}

export async function confinementOf(inside: CommandInside): Promise<Confinement> {
  const { command, directory, readOnly, sandbox, settings, confining } = inside;
  const folder = confining.temp();
  const whole = await confining.policyFor(directory);
  const laid = readOnly ? { ...whole, writable: [folder], unwritable: [], unwritableLike: [] } : whole;
  const folders = laid.writable.filter((place) => place !== folder);
  const before = await scan(folders);
  const policy = { ...laid, unwritable: [...new Set([...laid.unwritable, ...standing(before)])] };
  const links = await linksAmong(policy.unwritable);
  let wrapped: Wrapped | undefined;
  return {
    report: path.join(folder, `${randomUUID()}.end`),
    async start(script) {
      confining.begins();
      // The sandbox would send programs to a place of its own choice.
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
      const now = await scan(folders);
      const changed = await changedLinks(links);
      const looks = { before, now, kept: policy.unwritable, exposed: [...exposed, ...changed] };
      return [...(await settleNewcomers(looks, confining.quarantine)), ...(await putBack(changed, links))];
    } catch (thrown) {
      const why = thrown instanceof Error ? thrown.message : String(thrown);
      return [
        `What it made could not be looked through: ${why}. Something in it may run outside of the sandbox, later.`,
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
