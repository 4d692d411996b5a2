/**
 * Chooses the blocks of a long list that are near the visible part of its scroller. Only these exist as elements; the space of the
 * others is one empty element before them, and one after them.
 */
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';

/** A part of the list that is shown or hidden as a whole. */
interface SizedBlock {
  /** The line of its first item. It identifies the block. */
  readonly first: number;
  readonly items: { readonly length: number };
  /** The height in pixels before the block was shown. */
  readonly estimate: number;
}

interface VisibleBlocks {
  /** The first block that exists, and the one after the last. */
  readonly from: number;
  readonly to: number;
  /** The height of the blocks before and after them, in pixels. */
  readonly before: number;
  readonly after: number;
  /** Stores the height of a block that is shown. */
  readonly measure: (block: SizedBlock, height: number) => void;
  /** Scrolls to the start of a block. */
  readonly reveal: (index: number) => void;
}

/** Blocks within this distance of the visible part exist. */
const MARGIN_PX = 1_200;

export function useVisibleBlocks(
  scroller: { readonly current: HTMLDivElement | null },
  blocks: readonly SizedBlock[],
): VisibleBlocks {
  const measured = useRef(new Map<number, { readonly items: number; readonly height: number }>());
  const [range, setRange] = useState({ from: 0, to: 1 });
  const heightOf = (block: SizedBlock): number => {
    const known = measured.current.get(block.first);
    // A live session adds items to the last block.
    return known && known.items === block.items.length ? known.height : block.estimate;
  };
  const update = useRef<() => void>(() => undefined);
  update.current = () => {
    const root = scroller.current;
    if (!root) return;
    const next = blocksBetween(
      blocks.map(heightOf),
      root.scrollTop - MARGIN_PX,
      root.scrollTop + root.clientHeight + MARGIN_PX,
    );
    setRange((shown) => (shown.from === next.from && shown.to === next.to ? shown : next));
  };
  useEffect(() => {
    const root = scroller.current;
    if (!root) return;
    const look = (): void => update.current();
    root.addEventListener('scroll', look, { passive: true });
    const size = new ResizeObserver(look);
    size.observe(root);
    return () => {
      root.removeEventListener('scroll', look);
      size.disconnect();
    };
  }, [scroller]);
  useLayoutEffect(() => update.current(), [blocks]);
  const sum = (from: number, to: number): number =>
    blocks.slice(from, to).reduce((total, block) => total + heightOf(block), 0);
  return {
    ...range,
    before: sum(0, range.from),
    after: sum(range.to, blocks.length),
    measure(block, height) {
      const known = heightOf(block);
      measured.current.set(block.first, { items: block.items.length, height });
      if (known !== height) update.current();
    },
    reveal(index) {
      scroller.current?.scrollTo({ top: sum(0, index) });
      update.current();
    },
  };
}

/** Returns the blocks that touch the space from `top` to `bottom`. At least one block is returned. */
function blocksBetween(
  heights: readonly number[],
  top: number,
  bottom: number,
): { readonly from: number; readonly to: number } {
  let from = 0;
  let end = 0;
  let to = 0;
  for (const [index, height] of heights.entries()) {
    const start = end;
    end += height;
    if (end <= top) from = index + 1;
    if (start < bottom) to = index + 1;
  }
  from = Math.min(from, Math.max(0, heights.length - 1));
  return { from, to: Math.max(to, from + 1) };
}
