// Draws the plan with its own background, so that it looks the same on a light and on a dark page.
import type { Layers } from './layers.ts';
import type { Anytime, Arrow, Plan } from './plan.ts';
import { type Box, END, type Lane, type Placed } from './place.ts';

const PAPER = '#fbfaf6';
const INK = '#23262e';
const FAINT = '#6b7080';
const CARD_FILL = '#e6edf8';
const CARD_EDGE = '#3f5f93';
const END_FILL = '#f6e6e1';
const END_EDGE = '#a4513c';
/** One per return, so that the eye can follow it. */
const LANE_COLORS = ['#2f7d5b', '#8a6d1d', '#7a4fa3', '#b0562b', '#2b6f9c', '#a03c6a', '#5b6b1f'];
const MARGIN = 36;
const CODE = 'ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace';
const PROSE = 'system-ui, -apple-system, "Segoe UI", "DejaVu Sans", sans-serif';

export function svgOf(plan: Plan, layers: Layers, placed: Placed, title: string): string {
  const lanes = placed.lanes.map(({ lane }) => lane);
  const left = Math.min(placed.left, ...lanes) - MARGIN;
  const right = Math.max(placed.right, ...lanes) + MARGIN;
  const notes = anytime(plan.anytime, left + MARGIN, placed.bottom + 48, right - left - 2 * MARGIN);
  const height = placed.bottom + 48 + notes.height + MARGIN;
  const start = placed.boxes.get(plan.start);
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="${left} 0 ${right - left} ${height}" width="${right - left}" height="${height}" role="img" aria-label="${title}">`,
    `<style>text{font:14px ${CODE};fill:${INK}}.name{font-weight:600}.prose{font:13.5px ${PROSE};fill:${FAINT}}.halo{stroke:${PAPER};stroke-width:5px;stroke-linejoin:round;paint-order:stroke}</style>`,
    `<defs>${['ink', 'end', ...LANE_COLORS.keys()].map((name) => arrowhead(String(name))).join('')}</defs>`,
    `<rect x="${left}" width="${right - left}" height="${height}" rx="14" fill="${PAPER}"/>`,
    ...placed.lanes.map((lane, at) => laneLine(lane, at)),
    ...layers.segments.map(({ from, to, arrow }) =>
      segment(placed.boxes.get(from), placed.boxes.get(to), labelHeight(plan.arrows[arrow]), layers, placed),
    ),
    ...plan.arrows.map((_, number) => arrowLabel(plan, layers, placed, number)),
    start
      ? `<circle cx="${start.x}" cy="24" r="7" fill="${INK}"/>${line(start.x, 31, start.x, start.top, 'ink')}`
      : '',
    ...[...placed.boxes.values()].filter(({ passing }) => !passing).map((box) => card(box)),
    notes.svg,
    '</svg>',
    '',
  ].join('\n');
}

function card({ name, x, top, width, height, ends }: Box): string {
  const middle = top + height / 2;
  return [
    `<rect x="${x - width / 2}" y="${top}" width="${width}" height="${height}" rx="9" fill="${CARD_FILL}" stroke="${CARD_EDGE}" stroke-width="1.4"/>`,
    `<text x="${x}" y="${middle + 4.5}" text-anchor="middle" class="name">${name}</text>`,
    ...ends.map((end) => {
      const edge = x + width / 2;
      return `${line(edge, end.y, edge + END.gap, end.y, 'end')}${endNode(end.name, edge + END.gap, end.y)}`;
    }),
  ].join('\n');
}

function endNode(name: string, x: number, y: number): string {
  return [
    `<rect x="${x}" y="${y - END.height / 2}" width="${END.width}" height="${END.height}" rx="${END.height / 2}" fill="${END_FILL}" stroke="${END_EDGE}" stroke-width="1.2"/>`,
    `<text x="${x + END.width / 2}" y="${y + 4.5}" text-anchor="middle">${name}</text>`,
  ].join('');
}

function laneLine({ reason, side, out, lane, into }: Lane, at: number): string {
  const color = LANE_COLORS[at % LANE_COLORS.length];
  const r = 9;
  const path = [
    `M${out.x} ${out.y}H${lane - side * r}`,
    `Q${lane} ${out.y} ${lane} ${out.y - r}V${into.y + r}`,
    `Q${lane} ${into.y} ${lane - side * r} ${into.y}H${into.x + side * 2}`,
  ].join('');
  const anchor = side < 0 ? 'end' : 'start';
  return [
    `<path d="${path}" fill="none" stroke="${color}" stroke-width="1.6" marker-end="url(#arrow-${at % LANE_COLORS.length})"/>`,
    `<text x="${into.x + side * 16}" y="${into.y - 5}" text-anchor="${anchor}" style="fill:${color}">${reason}</text>`,
  ].join('');
}

/** Ends in a straight part with the label beside it. */
function segment(
  from: Box | undefined,
  to: Box | undefined,
  label: number,
  layers: Layers,
  placed: Placed,
): string {
  if (!from || !to) return '';
  const x1 = from.x + port(from, to, layers, placed, 'from');
  const x2 = to.x + port(to, from, layers, placed, 'to');
  const y1 = from.top + from.height;
  const y2 = to.top - (to.passing ? 0 : label);
  const bend = (y2 - y1) / 2;
  const rest = to.passing ? `V${to.top + to.height}` : `V${to.top - 2}`;
  const head = to.passing ? '' : ' marker-end="url(#arrow-ink)"';
  return `<path d="M${x1} ${y1}C${x1} ${y1 + bend} ${x2} ${y2 - bend} ${x2} ${y2}${rest}" fill="none" stroke="${INK}" stroke-width="1.4"${head}/>`;
}

function labelHeight(arrow: Arrow | undefined): number {
  return arrow && arrow.label.length > 0 ? 14 + 16 * arrow.label.length : 8;
}

/** Several arrows at one side of a card are spread in the order of their targets. */
function port(box: Box, other: Box, { segments }: Layers, { boxes }: Placed, end: 'from' | 'to'): number {
  if (box.passing) return 0;
  const others = segments
    .filter((one) => one[end] === box.name)
    .map((one) => boxes.get(end === 'from' ? one.to : one.from))
    .toSorted((one, two) => (one?.x ?? 0) - (two?.x ?? 0));
  const at = others.findIndex((one) => one?.name === other.name);
  return Math.round((at - (others.length - 1) / 2) * 26);
}

/** At the end of the arrow, on the other side of its approach. */
function arrowLabel({ arrows }: Plan, layers: Layers, placed: Placed, number: number): string {
  const arrow = arrows[number];
  const last = layers.segments.findLast((one) => one.arrow === number);
  const from = placed.boxes.get(last?.from ?? '');
  const to = placed.boxes.get(last?.to ?? '');
  if (!arrow || !from || !to || arrow.label.length === 0) return '';
  const shift = port(to, from, layers, placed, 'to');
  const side = shift === 0 ? (from.x > to.x ? -1 : 1) : Math.sign(shift);
  const x = to.x + shift + side * 9;
  return arrow.label
    .map((text, at) => {
      const y = to.top - 14 - 16 * (arrow.label.length - 1 - at);
      return `<text class="prose halo" x="${x}" y="${y}" text-anchor="${side < 0 ? 'end' : 'start'}">${text}</text>`;
    })
    .join('');
}

function anytime(
  rows: readonly Anytime[],
  left: number,
  top: number,
  width: number,
): { svg: string; height: number } {
  const step = 34;
  const height = rows.length * step + 44;
  const lines = rows.map(({ what, during, everywhere, end }, at) => {
    const y = top + 52 + step * at;
    const where = everywhere ? 'every effect' : during.join(', ');
    const x = left + width - END.width - 20;
    return [
      `<text x="${left + 20}" y="${y + 4.5}">${what}</text>`,
      `<text class="prose" x="${left + 176}" y="${y + 4.5}">during ${where}</text>`,
      `${line(x - 40, y, x, y, 'end')}${endNode(end, x, y)}`,
    ].join('');
  });
  return {
    height,
    svg: [
      `<rect x="${left}" y="${top}" width="${width}" height="${height}" rx="9" fill="none" stroke="${FAINT}" stroke-width="1" stroke-dasharray="4 4"/>`,
      `<text class="prose" x="${left + 20}" y="${top + 24}">at any time</text>`,
      ...lines,
    ].join('\n'),
  };
}

function line(x1: number, y1: number, x2: number, y2: number, head: 'ink' | 'end'): string {
  const color = head === 'ink' ? INK : END_EDGE;
  const [dx, dy] = [Math.sign(x2 - x1) * 2, Math.sign(y2 - y1) * 2];
  return `<path d="M${x1} ${y1}L${x2 - dx} ${y2 - dy}" stroke="${color}" stroke-width="1.4" marker-end="url(#arrow-${head})"/>`;
}

function arrowhead(name: string): string {
  const color = name === 'ink' ? INK : name === 'end' ? END_EDGE : LANE_COLORS[Number(name)];
  return `<marker id="arrow-${name}" viewBox="0 0 8 8" refX="6.5" refY="4" markerWidth="7" markerHeight="7" orient="auto"><path d="M0 .6L7.4 4L0 7.4z" fill="${color}"/></marker>`;
}
