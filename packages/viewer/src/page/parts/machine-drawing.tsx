/**
 * The diagram of the machine, from docs/machine.svg, which is printed from the machine itself. The shapes become elements
 * with classes, so that they follow the theme and the current state can be lit.
 */
import { useMemo } from 'preact/hooks';

/** The text of docs/machine.svg. The build puts it here. */
declare const MACHINE_SVG: string;

interface Shape {
  readonly tag: 'rect' | 'path' | 'text' | 'circle';
  readonly attributes: Readonly<Record<string, string>>;
  readonly text: string;
  readonly role: 'card' | 'end' | 'return' | 'line' | 'name' | 'note' | 'background';
  /** The effect, end or reason that the shape belongs to. */
  readonly name: string;
  /** The effect that an end belongs to. */
  readonly owner: string;
}

interface Diagram {
  readonly viewBox: string;
  readonly shapes: readonly Shape[];
}

export interface Lit {
  /** The effect whose event arrived. */
  readonly effect: string;
  readonly next: string;
}

export function MachineDrawing({ lit }: { readonly lit: Lit | undefined }) {
  const { viewBox, shapes } = useMemo(() => readDiagram(MACHINE_SVG), []);
  return (
    <div class="machine-drawing">
      <svg
        class="machine"
        viewBox={viewBox}
        role="img"
        aria-label="The machine, with the current state marked"
      >
        {shapes.map((shape, index) => {
          const { tag: Tag, attributes, text, role } = shape;
          return (
            <Tag key={index} {...attributes} class={`${role}${litClass(shape, lit)}`}>
              {text}
            </Tag>
          );
        })}
      </svg>
    </div>
  );
}

function litClass({ name, role, owner }: Shape, lit: Lit | undefined): string {
  if (name === '' || !lit) return '';
  if (role === 'return') return name === lit.next ? ' lit-next' : '';
  if (owner === name && name === lit.effect) return ' lit-now';
  // Several effects have ends of the same name.
  const isEnd = owner !== name;
  return name === lit.next && (!isEnd || owner === lit.effect) ? ' lit-next' : '';
}

const SHAPE = /<(rect|path|text|circle)\b([^>]*?)\/?>(?:([^<]*)<\/text>)?/g;
const KEPT = new Set(['x', 'y', 'width', 'height', 'rx', 'd', 'cx', 'cy', 'r', 'text-anchor']);

/** The fill of each role in the file. */
const CARD = '#e6edf8';
const END = '#f6e6e1';

function readDiagram(source: string): Diagram {
  const viewBox = /viewBox="([^"]*)"/.exec(source)?.[1] ?? '';
  const body = source.slice(source.indexOf('</defs>'));
  const shapes: Shape[] = [];
  for (const [, tag = '', raw = '', text = ''] of body.matchAll(SHAPE)) {
    const all = new Map(
      [...raw.matchAll(/([\w-]+)="([^"]*)"/g)].map(([, name = '', value = '']) => [name, value]),
    );
    const attributes = Object.fromEntries([...all].filter(([name]) => KEPT.has(name)));
    const role = roleOf(tag, all);
    shapes.push({ tag: tagOf(tag), attributes, text: unescape(text), role, name: '', owner: '' });
  }
  return { viewBox, shapes: named(shapes) };
}

/**
 * A box and the text inside it have the same name. A colored line is named by the text after it. The ends of an effect
 * follow its box.
 */
function named(shapes: readonly Shape[]): Shape[] {
  let owner = '';
  return shapes.map((shape, index) => {
    const box = shape.tag === 'text' ? shapes[index - 1] : shape;
    const isNamed = box?.role === 'card' || box?.role === 'end' || box?.role === 'return';
    if (!box || !isNamed) return shape;
    const name = shape.tag === 'text' ? shape.text : (shapes[index + 1]?.text ?? '');
    if (box.role === 'card') owner = name;
    const role = box.role === 'return' ? 'return' : shape.role;
    return Object.assign({}, shape, { name, role, owner: box.role === 'return' ? '' : owner });
  });
}

function roleOf(tag: string, attributes: ReadonlyMap<string, string>): Shape['role'] {
  const fill = attributes.get('fill');
  if (tag === 'text') return /prose/.test(attributes.get('class') ?? '') ? 'note' : 'name';
  if (tag === 'rect') return fill === CARD ? 'card' : fill === END ? 'end' : 'background';
  // The lines of returns have a color of their own and a marker with a number.
  return /arrow-\d/.test(attributes.get('marker-end') ?? '') ? 'return' : 'line';
}

function tagOf(tag: string): Shape['tag'] {
  return tag === 'rect' || tag === 'path' || tag === 'circle' ? tag : 'text';
}

function unescape(text: string): string {
  return text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');
}
