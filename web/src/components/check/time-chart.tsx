import { useEffect, useRef } from 'preact/hooks';
import uPlot from 'uplot';
import type { Band } from '../../logic/chart-bands';
import { type LocationData, type PhaseData, PHASES, type ResponseData, runsOf } from '../../logic/chart-data';
import { ms, timeTicks } from '../../logic/format';
import { shownTheme } from '../../state/theme';
import { hideTip, showTip } from '../tip';

type Shown = PhaseData | ResponseData | LocationData;

interface Props<T> {
  data: T;
  /** The maintenance windows to highlight. */
  bands: readonly Band[];
  /** The start and end, in seconds. */
  from: number;
  to: number;
  label: string;
  describe: (bucket: number) => string;
  onZoom: (fromSeconds: number, toSeconds: number) => void;
}

const MINUTE = 60;
const HOUR = 3600;
const DAY = 86_400;
const TICK_STEPS = [1, 5, 15, 30, MINUTE, 5 * MINUTE, 15 * MINUTE, HOUR, 3 * HOUR, 6 * HOUR, 12 * HOUR, DAY, 7 * DAY];

/**
 * Returns the ticks on the time axis, at multiples of the step in the browser's time zone. All values are in seconds.
 */
function ticksBetween(from: number, to: number, step: number): number[] {
  const zone = new Date(from * 1000).getTimezoneOffset() * MINUTE;
  const ticks = [];
  for (let tick = Math.ceil((from - zone) / step) * step + zone; tick <= to; tick += step) ticks.push(tick);
  return ticks;
}

/** Draws each bucket over its full width, so that a single bucket is visible. */
const stepped = uPlot.paths.stepped?.({ align: 1 });

const color = (name: string): string => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

/** Chart data: one list of values per line or area, with one value per time. */
type Values = (number | null)[];

/** A view for the chart. Each view is created only once. */
interface View<T> {
  series: (data: T) => Values[];
  /** How uPlot draws the series. By default, series only affect the scale. */
  style?: Omit<uPlot.Series, 'scale'>[];
  draw?: (chart: uPlot, data: T) => void;
}

/** Stacked phases, from the largest sum to the smallest. Each is drawn on top of the previous one. */
const PHASE_VIEW: View<PhaseData> = {
  series: ({ stacked }) => [...stacked].reverse(),
  style: [...PHASES].reverse().map(({ color: name }) => ({
    paths: stepped,
    fill: () => color(name),
    width: 0,
    points: { show: false },
    spanGaps: true,
  })),
};

/** The p50 as a line, with a band up to the p95. The previous week is a dashed line. */
const RESPONSE_VIEW: View<ResponseData> = {
  series: ({ p50, p95, before }) => [p95, p50, before].map((values) => [...values, null]),
  draw: drawResponse,
};

/** A p95 line for each location. */
const LOCATION_VIEW: View<LocationData> = {
  // Always uses the maximum number of series, so that hiding a location leaves no old series in the chart.
  series: ({ lines, times }) =>
    Array.from({ length: 10 }, (_, index) => [...(lines[index]?.p95 ?? times.slice(1).map(() => null)), null]),
  draw: (chart, { times, lines }) =>
    within(chart, () => {
      const { stroke } = pen(chart, times);
      for (const { p95, style } of lines) stroke(p95, style.color, 2, style.dash);
    }),
};

/** Clips drawing to the plot area. */
function within({ ctx, bbox }: uPlot, draw: () => void): void {
  ctx.save();
  ctx.beginPath();
  ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
  ctx.clip();
  ctx.lineJoin = 'round';
  draw();
  ctx.restore();
}

/** Draws lines through the buckets that start at `times`. */
function pen(chart: uPlot, times: readonly number[]) {
  const { ctx } = chart;
  const unit = devicePixelRatio;
  /** Returns the middle of each bucket. A bucket without neighbors spans its full width. */
  const points = (values: Values, [first, last]: [number, number]): [x: number, y: number][] => {
    const at = (index: number, value: number) =>
      [chart.valToPos(value, 'x', true), chart.valToPos(values[index] ?? 0, 'y', true)] as [number, number];
    const [from, to] = [times[first] ?? 0, times[first + 1] ?? 0];
    if (first === last) return [at(first, from), at(first, to)];
    return Array.from({ length: last - first + 1 }, (_, n) =>
      at(first + n, ((times[first + n] ?? 0) + (times[first + n + 1] ?? 0)) / 2),
    );
  };
  const trace = (line: [number, number][]) => line.forEach(([x, y]) => ctx.lineTo(x, y));
  const stroke = (values: Values, ink: string, width: number, dash: number[]) => {
    ctx.strokeStyle = color(ink);
    ctx.lineWidth = width * unit;
    ctx.setLineDash(dash.map((length) => length * unit));
    for (const run of runsOf(values)) {
      ctx.beginPath();
      trace(points(values, run));
      ctx.stroke();
    }
  };
  return { points, trace, stroke };
}

function drawResponse(chart: uPlot, { times, p50, p95, before }: ResponseData): void {
  const { ctx } = chart;
  const { points, trace, stroke } = pen(chart, times);
  within(chart, () => {
    ctx.fillStyle = color('--accent');
    ctx.globalAlpha = 0.18;
    for (const run of runsOf(p50)) {
      ctx.beginPath();
      trace(points(p95, run));
      trace(points(p50, run).reverse());
      ctx.fill();
    }
    ctx.globalAlpha = 1;
    stroke(before, '--line-strong', 1.5, [5, 4]);
    stroke(p50, '--accent', 2, []);
  });
}

function drawFailures(chart: uPlot, { times, failures }: Shown): void {
  const { ctx, bbox } = chart;
  const unit = devicePixelRatio;
  ctx.save();
  ctx.fillStyle = color('--down');
  ctx.strokeStyle = color('--surface');
  ctx.lineWidth = 1.5 * unit;
  failures.forEach((failed, index) => {
    if (failed === 0) return;
    const middle = ((times[index] ?? 0) + (times[index + 1] ?? 0)) / 2;
    ctx.beginPath();
    ctx.arc(chart.valToPos(middle, 'x', true), bbox.top + bbox.height - 8 * unit, 4 * unit, 0, 2 * Math.PI);
    ctx.fill();
    ctx.stroke();
  });
  ctx.restore();
}

/** Draws maintenance as a tinted band between two lines, with a stripe along the top. */
function drawBands(chart: uPlot, bands: readonly Band[]): void {
  const { ctx, bbox } = chart;
  const unit = devicePixelRatio;
  const right = bbox.left + bbox.width;
  const place = (at: number) => Math.min(Math.max(chart.valToPos(at, 'x', true), bbox.left), right);
  ctx.save();
  for (const { from, to } of bands) {
    const [x, width] = [place(from), Math.max(place(to) - place(from), 2 * unit)];
    ctx.fillStyle = color('--planned-wash');
    ctx.fillRect(x, bbox.top, width, bbox.height);
    ctx.fillStyle = color('--planned');
    ctx.fillRect(x, bbox.top, width, 4 * unit);
    for (const edge of [x, x + width - unit]) ctx.fillRect(edge, bbox.top, unit, bbox.height);
  }
  ctx.restore();
}

/**
 * The latest props, read by the callbacks. The chart is created only once, so that new data doesn't interrupt a drag.
 */
type Latest<T> = { current: Props<T> };

function options<T extends Shown>(
  latest: Latest<T>,
  { style, draw, series }: View<T>,
  width: number,
  height: number,
): uPlot.Options {
  const unseen = { paths: () => null, points: { show: false } };
  const axis = { stroke: color('--ink-2'), grid: { stroke: color('--line'), width: 1 }, ticks: { show: false } };
  return {
    width,
    height,
    padding: [12, 20, 0, 0],
    legend: { show: false },
    cursor: { drag: { x: true, y: false, setScale: false }, points: { show: false } },
    scales: {
      x: { time: false, range: () => [latest.current.from, latest.current.to] },
      y: { range: (_, __, max) => [0, Math.max(max * 1.1, 1)] },
    },
    axes: [
      {
        ...axis,
        size: 36,
        incrs: TICK_STEPS,
        splits: (_, __, from, to, step) => ticksBetween(from, to, step),
        values: (_, splits, __, ___, step) => timeTicks(splits, step),
      },
      { ...axis, size: 64, values: (_, values) => values.map((value) => (value === 0 ? '0' : ms(value))) },
    ],
    series: [{}, ...(style ?? series(latest.current.data).map(() => unseen))],
    hooks: {
      drawClear: [(chart: uPlot) => drawBands(chart, latest.current.bands)],
      draw: [
        (chart: uPlot) => draw?.(chart, latest.current.data),
        (chart: uPlot) => drawFailures(chart, latest.current.data),
      ],
      setCursor: [
        (chart: uPlot) => {
          const { left = -1, top = -1 } = chart.cursor;
          const { times, failures } = latest.current.data;
          const at = left < 0 ? -1 : times.findLastIndex((start) => start <= chart.posToVal(left, 'x'));
          if (at < 0 || at >= failures.length) return hideTip();
          const plot = chart.over.getBoundingClientRect();
          showTip(plot.left + left, plot.top + top, latest.current.describe(at));
        },
      ],
      setSelect: [
        (chart: uPlot) => {
          const { left, width: selected } = chart.select;
          if (selected < 8) return;
          latest.current.onZoom(chart.posToVal(left, 'x'), chart.posToVal(left + selected, 'x'));
          chart.setSelect({ left: 0, width: 0, top: 0, height: 0 }, false);
        },
      ],
    },
  };
}

function Chart<T extends Shown>({ view, of: props }: { view: View<T>; of: Props<T> }) {
  const box = useRef<HTMLDivElement>(null);
  const chart = useRef<uPlot | null>(null);
  const latest = useRef<Props<T>>(props);
  latest.current = props;
  const themed = shownTheme.value;
  const data = (): uPlot.AlignedData => [latest.current.data.times, ...view.series(latest.current.data)];

  useEffect(() => {
    const element = box.current;
    if (!element) return undefined;
    const size = () => ({ width: element.clientWidth, height: element.clientHeight });
    const made = new uPlot(options(latest, view, size().width, size().height), data(), element);
    chart.current = made;
    const observer = new ResizeObserver(() => made.setSize(size()));
    observer.observe(element);
    return () => {
      observer.disconnect();
      made.destroy();
      hideTip();
    };
  }, [themed]);

  useEffect(() => chart.current?.setData(data()), [props.data, props.from, props.to]);
  // Doesn't set new data, because that would interrupt a drag.
  useEffect(() => chart.current?.redraw(false, false), [props.bands]);

  return <div class="chart" ref={box} role="img" aria-label={props.label} />;
}

/** Shows response times over the range. Dragging across the chart zooms in. */
export const ResponseChart = (props: Props<ResponseData>) => <Chart view={RESPONSE_VIEW} of={props} />;

/** Shows the p95 over the range, with a line for each location. Dragging across the chart zooms in. */
export const LocationChart = (props: Props<LocationData>) => <Chart view={LOCATION_VIEW} of={props} />;

/** Shows latency over the range, stacked by phase. Dragging across the chart zooms in. */
export const PhaseChart = (props: Props<PhaseData>) => <Chart view={PHASE_VIEW} of={props} />;
