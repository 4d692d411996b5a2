/** The production context port: the context levels with the session's folder, the model and the disk. */
import {
  type Collapse,
  type CollapseStore,
  type CompactionHooks,
  type ContextChanges,
  contextOptions,
  type ContextPipeline,
  createContextPort,
  type LevelSwitches,
  modelSummarizer,
  NO_COMPACTION_HOOKS,
  type Reread,
  type RereadFiles,
  type SpillFiles,
} from '@heddle/context';
import {
  type AnswerCount,
  type Attachment,
  type Clock,
  DEFAULT_GATES,
  type Gates,
  isRecord,
  type ModelPort,
  type PromptHead,
  type RequestOptions,
} from '@heddle/core';
import { pinFile, PinnedPlace, realTarget, resolvePath } from '@heddle/tools/files';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { realFolder } from '../session/files/blobs.ts';
import { SPILLS } from '../session/files/paths.ts';

/** Snip, collapse and clearing by the server are gates of the loop. Each has one switch, in `gates`. */
export type ContextSettings = Omit<ContextChanges, 'levels'> & {
  readonly levels?: Partial<Omit<LevelSwitches, 'snip' | 'collapse' | 'cachedMicrocompact'>>;
};

interface ContextPortSetup {
  readonly model: ModelPort;
  readonly clock: Clock;
  readonly uuid: () => string;
  readonly random: () => number;
  readonly sessionId: string;
  /**
   * The file of the journal. Spills and collapses are in the folder of the same name. Undefined for a session in
   * memory.
   */
  readonly journalPath: string | undefined;
  readonly cwd: string;
  /** The part of every request before the conversation. */
  readonly head: PromptHead;
  readonly requestOptions?: RequestOptions | undefined;
  /** The switches that the loop shares with the levels. */
  readonly gates?: Partial<Gates> | undefined;
  readonly changes?: ContextSettings | undefined;
  readonly instructions?: readonly string[] | undefined;
  readonly unaskedFiles?: (() => Promise<(file: string) => boolean>) | undefined;
  readonly standing?: (() => Promise<readonly Attachment[]>) | undefined;
  readonly hooks?: CompactionHooks | undefined;
  /** Blocks of the conversation that the API has rejected. */
  readonly refusedBlocks?: (() => Iterable<string>) | undefined;
  readonly learnedWindows?: Map<string, number> | undefined;
  /** The last response in the log, with the token count of the server. */
  readonly lastAnswer?: (() => AnswerCount | undefined) | undefined;
}

/** Creates one pipeline for the whole session. It remembers earlier requests and decisions. */
export function contextPortOf(setup: ContextPortSetup): ContextPipeline {
  const { model, clock, random, head, gates, changes, requestOptions: options } = setup;
  const folder = folderOf(setup);
  const { historySnip, contextCollapse, cachedMicrocompact } = { ...DEFAULT_GATES, ...gates };
  const gated = { snip: historySnip, collapse: contextCollapse, cachedMicrocompact };
  const levels = { ...changes?.levels, ...gated };
  const pipeline: ContextPipeline = createContextPort(
    {
      options: contextOptions({ ...changes, levels }),
      head,
      ...(setup.learnedWindows ? { learnedWindows: setup.learnedWindows } : {}),
      ...(setup.lastAnswer ? { lastAnswer: setup.lastAnswer } : {}),
    },
    {
      now: clock.now,
      uuid: setup.uuid,
      spills: spillFiles(path.join(folder, SPILLS)),
      summarize: modelSummarizer({
        model,
        clock,
        random,
        head,
        serverEdits: (context) => pipeline.serverEdits(context),
        ...(options ? { options } : {}),
        ...(setup.refusedBlocks ? { refusedBlocks: setup.refusedBlocks } : {}),
      }),
      collapses: collapseStore(folder),
      reread: rereadFrom({
        cwd: setup.cwd,
        instructions: setup.instructions ?? [],
        unaskedFiles: setup.unaskedFiles,
        standing: setup.standing ?? (() => Promise.resolve([])),
      }),
      hooks: setup.hooks ?? NO_COMPACTION_HOOKS,
    },
  );
  return pipeline;
}

/** A session in memory stores its spills in the system's temporary folder. */
function folderOf({ journalPath, sessionId }: ContextPortSetup): string {
  if (journalPath === undefined) return path.join(tmpdir(), `heddle-${sessionId}`);
  return journalPath.replace(/\.jsonl$/, '');
}

export function spillFiles(folder: string): SpillFiles {
  const pathOf = (toolUseId: string): string => path.join(folder, `${fileName(toolUseId)}.txt`);
  const real = realFolder(folder);
  return {
    pathOf,
    async write(toolUseId, text) {
      try {
        await store(path.join(real(), `${fileName(toolUseId)}.txt`), text);
        return true;
      } catch {
        return false;
      }
    },
  };
}

/** `file` is a real path. Its folder is held open, and new links in it are not followed. */
async function store(file: string, text: string): Promise<void> {
  const place = PinnedPlace.open(file);
  try {
    place.makeFolders(0o700);
    const draft = place.at(`${place.name}.${process.pid}`);
    try {
      // Writes to a draft first, so that a partial file is never used. `wx` follows no link.
      await rm(draft, { force: true });
      await writeFile(draft, text, { mode: 0o600, flag: 'wx' });
      await rename(draft, place.at());
    } catch (thrown) {
      await rm(draft, { force: true }).catch(() => undefined);
      throw thrown;
    }
  } finally {
    place.close();
  }
}

/** Ids come from a server. One that is not a plain name must not lead to another folder. */
function fileName(toolUseId: string): string {
  if (/^[a-zA-Z0-9][a-zA-Z0-9_-]{0,99}$/.test(toolUseId)) return toolUseId;
  return createHash('sha256').update(toolUseId).digest('hex').slice(0, 32);
}

interface RereadSetup {
  readonly cwd: string;
  /** Instruction files of the whole conversation, if they are not part of the prompt. */
  readonly instructions: readonly string[];
  /** Returns a test for files that the current rules deny or ask about. */
  readonly unaskedFiles?: (() => Promise<(file: string) => boolean>) | undefined;
  /** Instructions that joined, skills in use, the working directory. See `standing` of the agent's options. */
  readonly standing: () => Promise<readonly Attachment[]>;
}

/** A larger file would be cut to a fraction, which is not useful. */
const MAX_FILE = 512 * 1024;

export function rereadFrom({ cwd, instructions, standing, unaskedFiles }: RereadSetup): Reread {
  return {
    instructions: () => readAll(instructions, cwd, Number.POSITIVE_INFINITY, () => false),
    // A rule, or a link in the path, may have changed since a file was read.
    files: async (paths) => readAll(paths, cwd, MAX_FILE, (await unaskedFiles?.()) ?? (() => false)),
    standing: async () => {
      try {
        return await standing();
      } catch {
        // Reminders are optional, so a compaction does not fail without them.
        return [];
      }
    },
  };
}

async function readAll(
  paths: readonly string[],
  cwd: string,
  limit: number,
  isDenied: (file: string) => boolean,
): Promise<readonly RereadFiles[]> {
  const read = await Promise.all(paths.map((file) => readText(resolvePath(file, cwd), limit, isDenied)));
  return read.filter((file) => file !== undefined);
}

/** Leaves out files that are missing, unreadable, binary, denied, or not regular (a pipe would block). */
async function readText(
  file: string,
  limit: number,
  isDenied: (file: string) => boolean,
): Promise<RereadFiles | undefined> {
  try {
    const real = realTarget(file);
    if (isDenied(file) || isDenied(real)) return undefined;
    // Not opened by its path: a new link there would lead to an unchecked file.
    const pinned = pinFile(real);
    try {
      if (!pinned.about.isFile() || pinned.about.size > limit) return undefined;
      const text = await readFile(pinned.path, 'utf8');
      return text.trim() === '' || text.includes('\0') ? undefined : { path: file, text };
    } finally {
      pinned.close();
    }
  } catch {
    return undefined;
  }
}

/** Stores committed collapses next to the session log, one JSON line each. A resumed session sends the same view. */
export function collapseStore(folder: string): CollapseStore {
  const real = realFolder(folder);
  let committed: readonly Collapse[] = load(path.join(folder, COLLAPSES));
  return {
    committed: () => committed,
    async save(collapses) {
      try {
        const lines = collapses.map((collapse) => `${JSON.stringify(collapse)}\n`);
        await store(path.join(real(), COLLAPSES), lines.join(''));
      } catch {
        // The disk may be full. The request is sent without the collapse, also by a resumed session.
        return false;
      }
      committed = collapses;
      return true;
    },
  };
}

const COLLAPSES = 'collapses.jsonl';

/** Older versions appended lines. One that was torn by a crash was never used. */
function load(file: string): Collapse[] {
  try {
    return readFileSync(file, 'utf8').split('\n').flatMap(read);
  } catch {
    return [];
  }
}

function read(line: string): Collapse[] {
  try {
    const value: unknown = JSON.parse(line);
    return isCollapse(value) ? [value] : [];
  } catch {
    return [];
  }
}

const TEXTS = ['id', 'from', 'to', 'summary'];
const NUMBERS = ['tokensBefore', 'tokensAfter', 'at'];

function isCollapse(value: unknown): value is Collapse {
  return (
    isRecord(value) &&
    TEXTS.every((key) => typeof value[key] === 'string') &&
    NUMBERS.every((key) => typeof value[key] === 'number')
  );
}
