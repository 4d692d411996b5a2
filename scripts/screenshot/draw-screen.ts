/** Draws the cells of a terminal as SVG: one picture, or a recording of many. */
import type xterm from '@xterm/headless';

const CELL = { width: 8.4, height: 18 };
const MARGIN = 18;
/** Browsers join ordinary spaces. */
const NO_BREAK_SPACE = '\u00a0';
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

/** Returns the text elements of each row: one per run of cells with the same look. */
export function drawRows(screen: xterm.Terminal): readonly string[] {
  const { active } = screen.buffer;
  return Array.from({ length: screen.rows }, (_, row) =>
    drawRow(active.getLine(active.viewportY + row), row).join('\n'),
  );
}

/** A picture of one screen. It has its own background. */
export function drawScreen(screen: xterm.Terminal, title: string): string {
  return picture(screen, title, drawRows(screen));
}

/** The rows of a screen, and the second since the start at which it looked like this. */
export interface RecordedFrame {
  readonly at: number;
  readonly rows: readonly string[];
}

/** Shows the last frame for this long before the recording starts again. */
const LAST_SECONDS = 4;

/**
 * An animated picture. Each row is drawn once for each of its looks, with the times at which it is visible, so that a row
 * that does not change costs nothing.
 */
export function drawRecording(
  frames: readonly RecordedFrame[],
  screen: xterm.Terminal,
  title: string,
): string {
  const start = frames[0]?.at ?? 0;
  const length = (frames.at(-1)?.at ?? 0) - start + LAST_SECONDS;
  const times = new Map<string, { from: number; to: number }[]>();
  for (const [index, { at: recordedAt, rows }] of frames.entries()) {
    const at = recordedAt - start;
    const to = (frames[index + 1]?.at ?? start + length) - start;
    for (const row of rows.filter((text) => text !== '')) {
      const spans = times.get(row) ?? [];
      const last = spans.at(-1);
      if (last?.to === at) last.to = to;
      else spans.push({ from: at, to });
      times.set(row, spans);
    }
  }
  const percent = (seconds: number): string => `${((seconds / length) * 100).toFixed(2)}%`;
  const rules: string[] = [];
  const drawn = Array.from(times, ([row, spans], index) => {
    const steps = spans.map(
      ({ from, to }) =>
        `${percent(from)}{visibility:visible}${to < length ? `${percent(to)}{visibility:hidden}` : ''}`,
    );
    rules.push(`@keyframes r${index}{0%{visibility:hidden}${steps.join('')}}`);
    // A viewer without animations shows the last frame.
    const still = spans.at(-1)?.to === length ? 'visible' : 'hidden';
    return `<g style="visibility:${still};animation:r${index} ${length.toFixed(2)}s step-end infinite">${row}</g>`;
  });
  return picture(screen, title, [`<style>${rules.join('')}</style>`, ...drawn]);
}

function picture({ cols, rows }: xterm.Terminal, title: string, content: readonly string[]): string {
  const width = cols * CELL.width + 2 * MARGIN;
  const height = rows * CELL.height + 2 * MARGIN;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="${escapeXml(title)}">`,
    `<rect width="${width}" height="${height}" rx="10" fill="${COLORS.background}"/>`,
    `<g font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, monospace" font-size="14">`,
    ...content.filter((text) => text !== ''),
    '</g></svg>\n',
  ].join('\n');
}

function drawRow(line: xterm.IBufferLine | undefined, row: number): readonly string[] {
  if (!line) return [];
  const runs: { column: number; text: string; style: string }[] = [];
  for (let column = 0; column < line.length; column++) {
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
      return `<text x="${x.toFixed(1)}" y="${y.toFixed(1)}" textLength="${length.toFixed(1)}" ${style}>${escapeXml(text.trimEnd()).replaceAll(' ', NO_BREAK_SPACE)}</text>`;
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
