/**
 * Draws the pictures of the README from real runs: starts the program in a pseudo-terminal, types, and writes the cells of the
 * screen as SVG: a still picture, and a recording. `npm run docs:screenshot`
 */
import { cpSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { spawn } from '@lydell/node-pty';
import xterm from '@xterm/headless';
import { drawRecording, drawRows, drawScreen, type RecordedFrame } from './screenshot/draw-screen.ts';

const ROOT = path.resolve(import.meta.dirname, '..');
const COLUMNS = 92;
const ROWS = 30;
const DEADLINE_MS = 30_000;
const PAUSE_MS = 600;
const KEY_MS = 40;

interface Picture {
  readonly file: string;
  readonly title: string;
  /** Keys to type, each after its text appeared on the screen. */
  readonly typing: readonly { readonly after: string; readonly keys: string }[];
  /** The picture is taken when this is on the screen. */
  readonly until: string;
  /** The same run as an animated picture. */
  readonly recording?: string;
}

interface Played {
  readonly screen: xterm.Terminal;
  readonly frames: readonly RecordedFrame[];
}

/** Changes that follow each other faster are one frame of the recording. */
const FRAME_SECONDS = 0.2;

const PICTURES: readonly Picture[] = [
  {
    file: 'docs/images/conversation.svg',
    recording: 'docs/images/recording.svg',
    title: 'A conversation: a change is shown before it is made, with the rule that would allow it',
    typing: [
      { after: '>', keys: 'please edit something\r' },
      { after: 'allow?', keys: '1\r' },
    ],
    until: 'A line that was changed.',
  },
];

/** Runs the program in a folder of its own with the rehearsal model, so that the picture needs no key and no network. */
async function playPicture({ typing, until }: Picture): Promise<Played> {
  const home = realpathSync(mkdtempSync(path.join(os.tmpdir(), 'heddle-screenshot-')));
  const project = path.join(home, 'project');
  mkdirSync(project);
  cpSync(path.join(ROOT, 'README.md'), path.join(project, 'README.md'));
  const screen = new xterm.Terminal({ cols: COLUMNS, rows: ROWS, allowProposedApi: true });
  const pty = spawn(path.join(ROOT, 'bin/heddle'), ['--model', 'rehearsal'], {
    cols: COLUMNS,
    rows: ROWS,
    cwd: project,
    env: {
      PATH: process.env['PATH'] ?? '',
      HOME: home,
      HEDDLE_CONFIG_DIR: path.join(home, 'config'),
      TERM: 'xterm-256color',
      LANG: 'C.UTF-8',
    },
  });
  let waiting = (): void => undefined;
  pty.onData((data) =>
    screen.write(data, () => {
      record();
      waiting();
    }),
  );
  const startedAt = performance.now();
  const frames: RecordedFrame[] = [];
  const record = (): void => {
    const at = (performance.now() - startedAt) / 1_000;
    const last = frames.at(-1);
    const rows = drawRows(screen);
    if (last && at - last.at < FRAME_SECONDS) frames[frames.length - 1] = { ...last, rows };
    else frames.push({ at, rows });
  };
  try {
    for (const { after, keys } of typing) {
      await appears(after);
      await sleep(PAUSE_MS);
      for (const key of keys) {
        pty.write(key);
        await sleep(KEY_MS);
      }
    }
    await appears(until);
    // A question takes keys only after a pause in typing.
    await sleep(PAUSE_MS);
    record();
    return { screen, frames };
  } finally {
    pty.kill();
    rmSync(home, { recursive: true, force: true });
  }

  function appears(text: string): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const timer = setTimeout(
      () => reject(new Error(`${text} did not appear:\n${textOf(screen)}`)),
      DEADLINE_MS,
    );
    waiting = check;
    check();
    return promise.finally(() => clearTimeout(timer));

    function check(): void {
      if (textOf(screen).includes(text)) resolve();
    }
  }
}

function textOf(screen: xterm.Terminal): string {
  const { active } = screen.buffer;
  return Array.from(
    { length: active.length },
    (_, row) => active.getLine(row)?.translateToString(true) ?? '',
  ).join('\n');
}

for (const picture of PICTURES) {
  const { screen, frames } = await playPicture(picture);
  store(picture.file, drawScreen(screen, picture.title));
  if (picture.recording !== undefined) store(picture.recording, drawRecording(frames, screen, picture.title));
}

function store(name: string, svg: string): void {
  const file = path.join(ROOT, name);
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, svg);
  console.log(`Wrote ${name}.`);
}
