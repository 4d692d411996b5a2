/** Finds the subagents of a session beside its file, with the records of their tasks. */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { folderBeside } from '@heddle/agent/sessions';
import { isRecord } from '@heddle/core';
import type { SubagentCard } from '../model/api.ts';
import { SessionIndex } from './session-index.ts';

/** In the order of their starts. Their ids are the names of their files after `prefix`. */
export function subagentsBeside(file: string, prefix = ''): readonly SubagentCard[] {
  const started = new Map(subagentIds(file).map((id) => [id, startOf(placeOf(file, id))]));
  const ids = [...started].toSorted(([, one], [, two]) => one - two).map(([id]) => id);
  return ids.map((id) => subagentCard(`${prefix}${id}`, recordIn(`${placeOf(file, id)}.meta.json`)));
}

/** A subagent of another program may lack a record, so the logs count. */
export function subagentIds(file: string): readonly string[] {
  try {
    const names = readdirSync(placeOf(file, ''));
    return names.flatMap((name) => /^([\w-]+)\.jsonl$/.exec(name)?.[1] ?? []);
  } catch {
    // No subagent was started yet.
    return [];
  }
}

export function openSubagent(file: string, id: string): SessionIndex {
  return new SessionIndex(`${placeOf(file, id)}.jsonl`, true);
}

function placeOf(file: string, id: string): string {
  return path.join(folderBeside(file), 'subagents', id);
}

function startOf(place: string): number {
  return statSync(`${place}.jsonl`, { throwIfNoEntry: false })?.birthtimeMs ?? 0;
}

function subagentCard(id: string, record: Readonly<Record<string, unknown>>): SubagentCard {
  const { description, agentType, isBackground, isolation, result } = record;
  return {
    id,
    name: typeof description === 'string' ? description : '',
    type: typeof agentType === 'string' ? agentType : '',
    isBackground: isBackground === true,
    hasWorktree: isolation === 'worktree',
    isOpen: description !== undefined && result === undefined,
  };
}

function recordIn(file: string): Readonly<Record<string, unknown>> {
  try {
    const record: unknown = JSON.parse(readFileSync(file, 'utf8'));
    return isRecord(record) ? record : {};
  } catch {
    return {};
  }
}
