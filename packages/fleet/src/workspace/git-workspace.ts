/**
 * The files of a session on several machines. The worker clones the repository of the session. It keeps snapshots in a second git folder
 * outside of the workspace: the model may edit `.git/config` in the workspace, which must never run code for the worker.
 * The newest snapshot is stored in PostgreSQL as a pack of the objects that the repository does not have.
 */
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import path from 'node:path';
import { unescape } from 'node:querystring';
import { decodeLine } from '@heddle/agent/store';
import type { Database, TurnId } from '../database.ts';
import { ISOLATED, MAX_PACK_BYTES, runGit, SnapshotGit } from './snapshot-git.ts';

export interface Workspace {
  readonly folder: string;
  /** For the model: what is missing after a move from another machine. */
  readonly note: string | undefined;
  /** Stores the files. Lines up to `seq` are stored in the log. Rejects if git fails. */
  save(seq: number): Promise<void>;
}

export interface WorkspaceSetup {
  readonly database: Database;
  /** The folder of all workspaces of this machine. */
  readonly root: string;
  readonly turn: TurnId;
  readonly worker: number;
  /** The repository to clone. Without one, the workspace begins empty. */
  readonly repo?: string | undefined;
  /** The commit, branch or tag. By default the head of the repository. */
  readonly ref?: string | undefined;
  /** A larger snapshot is not stored. */
  readonly maxPackBytes?: number;
}

interface Snapshot {
  readonly seq: number;
  readonly base: string;
  readonly tip: string;
  readonly pack: Buffer;
}

/** The commit of the files as they are stored in the database, or were restored from there. */
const TIP = 'refs/heddle/tip';
/** The commit of the repository. Its objects are not stored. */
const BASE = 'refs/heddle/base';

export async function openWorkspace(setup: WorkspaceSetup): Promise<Workspace> {
  const { database, root, turn, repo } = setup;
  const folder = path.join(root, turn.session);
  const git = new SnapshotGit(path.join(root, '.snapshots', `${turn.session}.git`), folder);
  const isNew = !existsSync(git.dir);
  if (isNew) await createWorkspace(git, setup);
  const tip = await readTip(database, turn.session);
  const isMoved = tip !== undefined && (await git.commit(TIP)) !== tip;
  const stored = isMoved ? await readSnapshot(database, turn.session) : undefined;
  if (stored) await restore(git, stored, repo);
  // A worker that dies early has stored no files.
  const isLost = isNew && tip === undefined;
  return {
    folder,
    note: stored || isLost ? await moveNote(database, turn, stored?.seq) : undefined,
    save: (seq) => saveSnapshot(git, setup, seq),
  };
}

/**
 * The settings and the credentials of the worker count only for the clone. Both folders are made under another name: a folder with
 * the right name is complete, even if the worker dies at any point.
 */
async function createWorkspace(git: SnapshotGit, { repo, ref }: WorkspaceSetup): Promise<void> {
  mkdirSync(path.dirname(git.dir), { recursive: true });
  const temporary = mkdtempSync(path.join(path.dirname(git.dir), 'new-'));
  const hasFiles = existsSync(repo === undefined ? git.folder : path.join(git.folder, '.git'));
  const files = hasFiles ? git.folder : path.join(temporary, 'files');
  const made = new SnapshotGit(path.join(temporary, 'git'), files);
  try {
    if (!hasFiles && repo === undefined) mkdirSync(files);
    if (!hasFiles && repo !== undefined) await clone(repo, ref, files);
    await runGit(['init', '--quiet', '--bare', made.dir], ISOLATED);
    if (repo !== undefined) await made.text('fetch', '--quiet', '--no-tags', files, `+HEAD:${BASE}`);
    if (!hasFiles) renameSync(files, git.folder);
    renameSync(made.dir, git.dir);
  } finally {
    rmSync(temporary, { recursive: true, force: true });
  }
}

async function clone(repo: string, ref: string | undefined, folder: string): Promise<void> {
  const { address, env } = withoutPassword(repo);
  await runGit(['clone', '--quiet', '--no-recurse-submodules', '--', address, folder], env);
  if (ref !== undefined) await runGit(['-C', folder, 'checkout', '--quiet', '--detach', ref, '--']);
}

/** Git asks for the password of one server here, and stores it nowhere. */
const HELPER =
  '!f() { test "$1" = get && printf "username=%s\\npassword=%s\\n" "$CLONE_USER" "$CLONE_PASSWORD"; }; f';

/**
 * Separates the user and the password from an address: a token may be in place of either. Arguments of a process can be read by every user, and git stores the address in the
 * workspace, where the model can read it. The environment has the password only while git runs for the worker.
 */
export function withoutPassword(repo: string): { address: string; env: NodeJS.ProcessEnv } {
  const url = URL.canParse(repo) ? new URL(repo) : undefined;
  if (url?.protocol !== 'https:' || (url.username === '' && url.password === ''))
    return { address: repo, env: {} };
  const [user, password] = [unescape(url.username), unescape(url.password)];
  url.username = '';
  url.password = '';
  const key = `credential.${url.origin}.helper`;
  const env = {
    // An empty helper removes those of the worker, which would store the password.
    GIT_CONFIG_COUNT: '2',
    GIT_CONFIG_KEY_0: key,
    GIT_CONFIG_VALUE_0: '',
    GIT_CONFIG_KEY_1: key,
    GIT_CONFIG_VALUE_1: HELPER,
    CLONE_USER: user,
    CLONE_PASSWORD: password,
  };
  return { address: url.href, env };
}

async function saveSnapshot(git: SnapshotGit, setup: WorkspaceSetup, seq: number): Promise<void> {
  await git.addAll();
  const tree = await git.text('write-tree');
  const [base = '', last] = [await git.commit(BASE), await git.commit(TIP)];
  const isStored = (await readTip(setup.database, setup.turn.session)) === last;
  if (last !== undefined && isStored && (await git.text('rev-parse', `${last}^{tree}`)) === tree) return;
  const parent = base === '' ? [] : ['-p', base];
  const tip = await git.text('commit-tree', tree, ...parent, '-m', `entry ${seq}`);
  const wanted = base === '' ? `${tip}\n` : `${tip}\n^${base}\n`;
  const { maxPackBytes = MAX_PACK_BYTES } = setup;
  const pack = await git.bytes(['pack-objects', '--revs', '--thin', '--stdout', '-q'], wanted, maxPackBytes);
  if (!(await storeSnapshot(setup, { seq, base, tip, pack }))) return;
  await git.text('update-ref', TIP, tip);
}

/** A worker that has lost the turn stores nothing. */
async function storeSnapshot(
  { database, turn, worker }: WorkspaceSetup,
  snapshot: Snapshot,
): Promise<boolean> {
  const { seq, base, tip, pack } = snapshot;
  const { rowCount } = await database.pool.query(
    `insert into heddle.snapshot (session, seq, base, tip, pack)
     select $1, $3, $4, $5, $6 from heddle.turn where session = $1 and n = $2 and worker = $7 and state = 'running'
     on conflict (session) do update set seq = $3, base = $4, tip = $5, pack = $6, created = now()
       where snapshot.seq <= $3`,
    [turn.session, turn.n, seq, base, tip, pack, worker],
  );
  return rowCount === 1;
}

async function readTip({ pool }: Database, session: string): Promise<string | undefined> {
  const { rows } = await pool.query<Pick<Snapshot, 'tip'>>(
    'select tip from heddle.snapshot where session = $1',
    [session],
  );
  return rows[0]?.tip;
}

async function readSnapshot({ pool }: Database, session: string): Promise<Snapshot | undefined> {
  const { rows } = await pool.query<Snapshot>(
    'select seq, base, tip, pack from heddle.snapshot where session = $1',
    [session],
  );
  return rows[0];
}

/** Replaces the files by those of the snapshot. Ignored files stay as they are. */
async function restore(
  git: SnapshotGit,
  { base, tip, pack }: Snapshot,
  repo: string | undefined,
): Promise<void> {
  if (base !== '' && (await git.commit(base)) === undefined && repo !== undefined) {
    // The branch has moved since. Git runs in the snapshot folder, with the credentials of the worker.
    const { address, env } = withoutPassword(repo);
    const fetch = ['fetch', '--quiet', '--no-tags', '--', address, `+${base}:${BASE}`];
    await runGit(['--git-dir', git.dir, ...fetch], env);
  }
  await git.bytes(['index-pack', '--stdin', '--fix-thin'], pack);
  if (base !== '') await git.text('update-ref', BASE, base);
  await git.text('read-tree', '--reset', '-u', tip);
  await git.text('clean', '--quiet', '-fd');
  await git.text('update-ref', TIP, tip);
}

/** Names the calls whose files are not part of the snapshot. Without a snapshot, a session that changed nothing needs no note. */
async function moveNote(
  { pool }: Database,
  { session }: TurnId,
  seq: number | undefined,
): Promise<string | undefined> {
  const { rows } = await pool.query<{ line: string }>(
    `select line from heddle.entry where session = $1 and kind = 'intent' and seq > $2 order by seq`,
    [session, seq ?? 0],
  );
  const lost = rows
    .flatMap(({ line }) => decodeLine(line))
    .flatMap((decoded) => (decoded.kind === 'entry' && decoded.entry.type === 'intent' ? decoded.entry : []))
    .filter(({ effect }) => effect === 'writing')
    .map(({ tool, toolUseId }) => `${tool} (${toolUseId})`)
    .join(', ');
  if (seq === undefined && lost === '') return undefined;
  const files = seq === undefined ? 'Its files were not stored.' : `Its files are as stored at entry ${seq}.`;
  const missing =
    lost === '' ? 'No later call changed files.' : `The effects of these later calls are missing: ${lost}.`;
  return `This session has moved to another machine. ${files} ${missing} Files that git ignores and background commands did not move.`;
}
