/** `heddle models [PROVIDER] [--json]`: lists the usable models with window and price, and why they are usable. */
import { type ListedModel, type ListedProvider, listProviders } from '@heddle/models';
import { modelEnvironment } from '../keys.ts';
import { escapeControls, jsonText } from '../terminal/escape-controls.ts';
import { misuse, writeMessage } from '../terminal/write-message.ts';
import { OWN_WINDOW } from './kinds.ts';

export async function printModels(argv: readonly string[] = []): Promise<number> {
  const words = argv.filter((word) => word !== '--json');
  const [only] = words;
  const wrong = words.find((word) => word.startsWith('-')) ?? words[1];
  if (wrong !== undefined)
    return misuse(`unexpected argument ${wrong}. Usage: heddle models [PROVIDER] [--json]`);
  const providers = await listProviders(modelEnvironment(), only === undefined ? {} : { only });
  if (only !== undefined && providers.length === 0) {
    const known = (await listProviders(modelEnvironment())).map(({ id }) => id);
    return misuse(`There is no provider named ${escapeControls(only)}. Use one of ${known.join(', ')}.`);
  }
  if (argv.includes('--json')) writeMessage(`${jsonText({ providers }, 2)}\n`);
  else writeMessage(only === undefined ? overview(providers) : details(providers));
  return 0;
}

/** Lists every provider, usable ones first, and the models of the usable ones. The newest Claude models are always shown. */
function overview(providers: readonly ListedProvider[]): string {
  const ranked = [...providers].sort((left, right) => Number(right.isUsable) - Number(left.isUsable));
  const rows = ranked.map(({ id, isUsable, because, advice }) => [
    isUsable ? '*' : ' ',
    id,
    isUsable ? (because ?? '') : (advice ?? ''),
  ]);
  // openai-chat serves the same models as openai.
  const usable = ranked.filter(({ id, isUsable }) => isUsable && id !== 'openai-chat');
  const many = usable.filter(({ models }) => models.length > MAX_MODELS);
  const models = usable.filter((provider) => !many.includes(provider)).flatMap((provider) => provider.models);
  const more = many.map(({ id, models }) => `${id}: ${models.length} models; see heddle models ${id}\n`);
  return [
    tableOf(['', 'provider', 'why it is usable (*), or what to do'], rows, []),
    '\n',
    modelTable(models, OFFLINE),
    ...more,
    ...ranked.filter(({ id, isUsable }) => id === 'anthropic' && !isUsable).map(outOfReach),
  ].join('');
}

/** Lists the models with an alias, which are the newest of their families. */
function outOfReach({ id, name, models, advice }: ListedProvider): string {
  const newest = models.filter(({ aliases }) => aliases.length > 0);
  return `\n${name}, after you ${advice} (all models: heddle models ${id})\n${modelTable(newest, [])}`;
}

/** The overview leaves out the models of a provider that has more than this. */
const MAX_MODELS = 120;

function details([provider]: readonly ListedProvider[]): string {
  if (provider === undefined) return '';
  const { name, isUsable, because, advice = '', models } = provider;
  const remedy = advice.startsWith('Start ') ? advice : `To use it: ${advice}`;
  const head = isUsable ? `${name}: usable (${because})\n` : `${name}: not usable here. ${remedy}\n`;
  const none = `Its models are not known here. Any name is accepted: --model ${provider.id}/MODEL\n`;
  return escapeControls(head) + (models.length === 0 ? none : modelTable(models, []));
}

const OFFLINE = [
  ['rehearsal', '', tokens(OWN_WINDOW), '0', '0'],
  ['scripted:FILE', '', tokens(OWN_WINDOW), '0', '0'],
  ['replay:FILE', '', '-', '0', '0'],
];

/** Sorts models with an alias first, because most users look for them. */
function aliasesFirst(left: ListedModel, right: ListedModel): number {
  return Math.min(right.aliases.length, 1) - Math.min(left.aliases.length, 1);
}

function modelTable(models: readonly ListedModel[], before: readonly (readonly string[])[]): string {
  return tableOf(
    ['model', 'alias', 'window', '$/M in', '$/M out'],
    [...before, ...[...models].sort(aliasesFirst).map(rowOf)],
    [2, 3, 4],
  );
}

function rowOf({ id, aliases, contextWindow, inputPerMillion, outputPerMillion }: ListedModel): string[] {
  return [
    escapeControls(id),
    aliases.join(', '),
    tokens(contextWindow),
    amount(inputPerMillion),
    amount(outputPerMillion),
  ];
}

/** Groups the digits. The first call of `toLocaleString` would take 20 to 35 ms. */
function tokens(window: number | undefined): string {
  return window === undefined ? 'unknown' : String(window).replaceAll(/\B(?=(\d{3})+$)/g, ',');
}

function amount(price: number | undefined): string {
  return price === undefined ? 'unknown' : String(price);
}

/** Formats rows under a header, each column as wide as its longest cell. `right`: columns that are right-aligned. */
export function tableOf(
  head: readonly string[],
  rows: readonly (readonly string[])[],
  right: readonly number[],
): string {
  const all = [head, ...rows];
  const widths = head.map((_, column) => Math.max(...all.map((row) => (row[column] ?? '').length)));
  return all
    .map((row) => {
      const cells = row.map((cell, column) => {
        const width = widths[column] ?? 0;
        return right.includes(column) ? cell.padStart(width) : cell.padEnd(width);
      });
      return `${cells.join('  ').trimEnd()}\n`;
    })
    .join('');
}
