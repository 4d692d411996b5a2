/** `heddle models`: what there is to choose from, with window and price. Unknown is said as unknown. */
import { type ListedModel, listModels } from '@heddle/models';
import { say } from '../terminal/say.ts';

export async function printModels(): Promise<number> {
  const models = await listModels(process.env);
  const rows = [HEAD, ...OFFLINE, ...models.map(rowOf)];
  const widths = HEAD.map((_, column) => Math.max(...rows.map((row) => (row[column] ?? '').length)));
  for (const row of rows) {
    const cells = row.map((cell, column) =>
      column < 2 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0),
    );
    say(`${cells.join('  ').trimEnd()}\n`);
  }
  return 0;
}

const HEAD = ['model', 'alias', 'window', '$/M in', '$/M out'];
const OFFLINE = [
  ['rehearsal', '', '-', '0', '0'],
  ['scripted:FILE', '', '-', '0', '0'],
];

function rowOf({ id, aliases, contextWindow, inputPerMillion, outputPerMillion }: ListedModel): string[] {
  return [id, aliases.join(', '), tokens(contextWindow), amount(inputPerMillion), amount(outputPerMillion)];
}

function tokens(window: number | undefined): string {
  return window === undefined ? 'unknown' : window.toLocaleString('en');
}

function amount(price: number | undefined): string {
  return price === undefined ? 'unknown' : String(price);
}
