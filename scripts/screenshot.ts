/**
 * Draws the pictures of the README from real runs: starts the program in a pseudo-terminal, types, and writes the cells of the
 * screen as SVG. `npm run docs:screenshot`
 */
import { cpSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { spawn } from '@lydell/node-pty';
import xterm from '@xterm/headless';

const ROOT = path.resolve(import.meta.dirname, '..');
const COLUMNS = 92;
const ROWS = 30;
const DEADLINE_MS = 30_000;
const PAUSE_MS = 600;

interface Picture {
  readonly file: string;
  readonly title: string;
  /** Keys to type, each after its text appeared on the screen. */
  readonly typing: readonly { readonly after: string; readonly keys: string }[];
  /** The picture is taken when this is on the screen. */
  readonly until: string;
}

const PICTURES: readonly Picture[] = [
  {
    file: 'docs/images/conversation.svg',
    title: 'A conversation: a change is shown before it is made, with the rule that would allow it',
    typing: [
      { after: '>', keys: 'please edit something\r' },
      { after: 'allow?', keys: '1\r' },
    ],
    until: 'A line that was changed.',
  },
];

/** Runs the program in a folder of its own with the rehearsal model, so that the picture needs no key and no network. */
async function playPicture({ typing, until }: Picture): Promise<xterm.Terminal> {
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
  try {
    for (const { after, keys } of typing) {
      await appears(after);
      pty.write(keys);
    }
    await appears(until);
    // A question takes keys only after a pause in typing.
    await sleep(PAUSE_MS);
    return screen;
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
    const listening = pty.onData((data) => screen.write(data, check));
    check();
    return promise.finally(() => {
      clearTimeout(timer);
      listening.dispose();
    });

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

const CELL = { width: 8.4, height: 18 };
const MARGIN = 18;
const COLORS = {
  background: '#15181f',
  text: '#d7dae0',
  palette: [
    '#3b4048',
    '#e06c75',
    '#98c379',
    '#e5c07b',
    '#61afef',
    '#c678dd',
    '#56b6c2',
    '#d7dae0',
    '#7f848e',
    '#ef8b92',
    '#b1d196',
    '#f0d399',
    '#86c5f7',
    '#d79ae8',
    '#7fcbd5',
    '#ffffff',
  ],
};

/** One text element per run of cells with the same look. The picture has its own background. */
function drawScreen(screen: xterm.Terminal, title: string): string {
  const width = COLUMNS * CELL.width + 2 * MARGIN;
  const height = ROWS * CELL.height + 2 * MARGIN;
  const { active } = screen.buffer;
  const rows = Array.from({ length: ROWS }, (_, row) => drawRow(active.getLine(active.viewportY + row), row));
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="${escapeXml(title)}">`,
    `<rect width="${width}" height="${height}" rx="10" fill="${COLORS.background}"/>`,
    `<g font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, monospace" font-size="14" xml:space="preserve">`,
    ...rows.flat(),
    '</g></svg>\n',
  ].join('\n');
}

function drawRow(line: xterm.IBufferLine | undefined, row: number): readonly string[] {
  if (!line) return [];
  const runs: { column: number; text: string; style: string }[] = [];
  for (let column = 0; column < COLUMNS; column++) {
    const cell = line.getCell(column);
    if (!cell || cell.getWidth() === 0) continue;
    const style = styleOf(cell);
    const last = runs.at(-1);
    const text = cell.getChars() || ' ';
    if (last?.style === style) last.text += text;
    else runs.push({ column, text, style });
  }
  const y = MARGIN + (row + 0.75) * CELL.height;
  return runs
    .filter(({ text }) => text.trim() !== '')
    .map(({ column, text, style }) => {
      const x = MARGIN + column * CELL.width;
      const length = text.trimEnd().length * CELL.width;
      return `<text x="${x.toFixed(1)}" y="${y.toFixed(1)}" textLength="${length.toFixed(1)}" ${style}>${escapeXml(text.trimEnd())}</text>`;
    });
}

function styleOf(cell: xterm.IBufferCell): string {
  const color = cell.isFgPalette() ? COLORS.palette[cell.getFgColor()] : undefined;
  return [
    `fill="${color ?? COLORS.text}"`,
    cell.isBold() ? 'font-weight="600"' : '',
    cell.isDim() ? 'opacity="0.6"' : '',
    cell.isItalic() ? 'font-style="italic"' : '',
    cell.isUnderline() ? 'text-decoration="underline"' : '',
  ]
    .filter((part) => part !== '')
    .join(' ');
}

function escapeXml(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}

for (const picture of PICTURES) {
  const file = path.join(ROOT, picture.file);
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, drawScreen(await playPicture(picture), picture.title));
  console.log(`Wrote ${picture.file}.`);
}
