/** A chart over the requests of a session, with uPlot. It follows the size of its place and the theme. */
import { useEffect, useRef } from 'preact/hooks';
import uPlot from 'uplot';
import { useMedia } from '../data/use-media.ts';

export interface ChartSeries {
  readonly label: string;
  /** The name of a color in the style sheet. */
  readonly color: string;
  readonly kind: 'area' | 'line' | 'bars';
  readonly values: readonly (number | null)[];
  /** The name of the axis. Series with the same name share it. */
  readonly scale: 'left' | 'right';
}

/** A vertical line at a request. */
export interface ChartMark {
  /** The position between requests, such as 2.5. */
  readonly at: number;
  readonly color: string;
}

interface ChartProps {
  /** Stacked areas and bars add up from the first to the last. */
  readonly series: readonly ChartSeries[];
  readonly stacked: boolean;
  /** Lines above a stack, which do not add up. */
  readonly lines?: readonly ChartSeries[];
  readonly marks: readonly ChartMark[];
  readonly format: (value: number) => string;
  readonly formatRight?: (value: number) => string;
  readonly label: string;
  readonly onPick: (index: number) => void;
  readonly height?: number;
}

const NO_SERIES: readonly ChartSeries[] = [];

export function Chart(props: ChartProps) {
  const { series, stacked, lines = NO_SERIES, marks, label, height = 260 } = props;
  const place = useRef<HTMLDivElement>(null);
  const pick = useRef(props.onPick);
  pick.current = props.onPick;
  const isDark = useMedia('(prefers-color-scheme: dark)');
  useEffect(() => {
    const element = place.current;
    if (!element) return;
    const plot = new uPlot(options(props, element, height), dataOf(series, stacked, lines), element);
    plot.over.addEventListener('click', () => {
      const index = plot.cursor.idx;
      if (typeof index === 'number') pick.current(index);
    });
    const size = new ResizeObserver(() => plot.setSize({ width: element.clientWidth, height }));
    size.observe(element);
    return () => {
      size.disconnect();
      plot.destroy();
    };
    // The chart is made again for new data: drawing it takes less time than comparing it.
  }, [series, stacked, lines, marks, height, isDark]);
  return <div class="chart" ref={place} role="img" aria-label={label} />;
}

function options(
  { series, stacked, lines = NO_SERIES, marks, format, formatRight = format }: ChartProps,
  element: HTMLElement,
  height: number,
): uPlot.Options {
  const style = getComputedStyle(element);
  const color = (name: string): string => style.getPropertyValue(`--${name}`).trim();
  const axis = { stroke: color('dim'), grid: { stroke: color('line'), width: 1 }, ticks: { show: false } };
  const hasRight = series.some(({ scale }) => scale === 'right');
  const order = [...(stacked ? series.toReversed() : series), ...lines];
  return {
    width: Math.max(element.clientWidth, 100),
    height,
    scales: {
      x: { time: false, range: (_plot, min, max) => [min - 0.5, max + 0.5] },
      left: { range: fromZero },
      right: { range: fromZero },
    },
    cursor: { points: { size: 6 }, y: false },
    axes: [
      {
        ...axis,
        size: 30,
        values: (_plot, values) => values.map((value) => (Number.isInteger(value) ? String(value) : '')),
      },
      { ...axis, scale: 'left', size: 62, values: (_plot, values) => values.map(format) },
      ...(hasRight
        ? [
            {
              ...axis,
              scale: 'right',
              side: 1,
              size: 62,
              grid: { show: false },
              values: (_plot: uPlot, values: number[]) => values.map(formatRight),
            },
          ]
        : []),
    ],
    series: [
      { label: 'request' },
      ...order.map((one) =>
        seriesOptions(one, color(one.color), one.scale === 'right' ? formatRight : format),
      ),
    ],
    hooks: { draw: [(plot) => drawMarks(plot, marks, color)] },
  };
}

function seriesOptions(
  { label, kind, scale, values }: ChartSeries,
  color: string,
  format: (value: number) => string,
): uPlot.Series {
  const bars = kind === 'bars' ? uPlot.paths.bars?.({ size: [0.7, 40] }) : undefined;
  return {
    label,
    scale,
    stroke: color,
    width: kind === 'line' ? 2 : 1,
    points: { show: kind === 'line' && values.length < 2 },
    ...(kind === 'line' ? {} : { fill: color }),
    ...(bars ? { paths: bars } : {}),
    // The legend shows the value itself, not the height of the stack.
    value: (_plot, _raw, _series, index) => {
      const own = index === null ? null : values[index];
      return typeof own === 'number' ? format(own) : '–';
    },
  };
}

/** A scale that starts at zero and leaves some space above. */
function fromZero(_plot: uPlot, _min: number, max: number): [number, number] {
  return [0, (max || 1) * 1.08];
}

function dataOf(
  series: readonly ChartSeries[],
  stacked: boolean,
  lines: readonly ChartSeries[],
): uPlot.AlignedData {
  const length = series[0]?.values.length ?? 0;
  const numbers = Array.from({ length }, (_, index) => index + 1);
  if (!stacked) return [numbers, ...series.map(({ values }) => [...values])];
  const sums: number[][] = [];
  for (const { values } of series) {
    const below = sums.at(-1);
    sums.push(values.map((value, index) => (value ?? 0) + (below?.[index] ?? 0)));
  }
  // The largest sum is drawn first, so that the smaller ones cover it.
  return [numbers, ...sums.toReversed(), ...lines.map(({ values }) => [...values])];
}

function drawMarks(plot: uPlot, marks: readonly ChartMark[], color: (name: string) => string): void {
  const { ctx, bbox } = plot;
  ctx.save();
  ctx.setLineDash([4, 4]);
  ctx.lineWidth = devicePixelRatio;
  for (const mark of marks) {
    const x = Math.round(plot.valToPos(mark.at, 'x', true));
    ctx.strokeStyle = color(mark.color);
    ctx.beginPath();
    ctx.moveTo(x, bbox.top);
    ctx.lineTo(x, bbox.top + bbox.height);
    ctx.stroke();
  }
  ctx.restore();
}
