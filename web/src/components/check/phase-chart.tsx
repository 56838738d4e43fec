import { useEffect, useRef } from 'preact/hooks';
import uPlot from 'uplot';
import type { Band } from '../../logic/chart-bands';
import { type ChartData, PHASES } from '../../logic/chart-data';
import { ms, timeTicks } from '../../logic/format';
import { shownTheme } from '../../state/theme';

interface Props {
  data: ChartData;
  /** When maintenance was or is. */
  bands: readonly Band[];
  /** Start and end in seconds. */
  from: number;
  to: number;
  label: string;
  onZoom: (fromSeconds: number, toSeconds: number) => void;
}

const MINUTE = 60;
const HOUR = 3600;
const DAY = 86_400;
const TICK_STEPS = [1, 5, 15, 30, MINUTE, 5 * MINUTE, 15 * MINUTE, HOUR, 3 * HOUR, 6 * HOUR, 12 * HOUR, DAY, 7 * DAY];

/** Ticks of the time axis on whole steps of the browser's time zone. All in seconds. */
function ticksBetween(from: number, to: number, step: number): number[] {
  const zone = new Date(from * 1000).getTimezoneOffset() * MINUTE;
  const ticks = [];
  for (let tick = Math.ceil((from - zone) / step) * step + zone; tick <= to; tick += step) ticks.push(tick);
  return ticks;
}

/** Each bucket is drawn over its whole width, so that a single one is visible. */
const stepped = uPlot.paths.stepped?.({ align: 1 });

const color = (name: string): string => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

/** Failed checks: one red mark of a fixed width per bucket, at the foot of the plot. */
function drawFailures(chart: uPlot, data: ChartData): void {
  const { ctx, bbox } = chart;
  const unit = devicePixelRatio;
  ctx.save();
  ctx.fillStyle = color('--down');
  data.failures.forEach((failures, index) => {
    if (failures === 0) return;
    const middle = ((data.times[index] ?? 0) + (data.times[index + 1] ?? 0)) / 2;
    const x = chart.valToPos(middle, 'x', true);
    const foot = bbox.top + bbox.height;
    ctx.fillRect(x - unit, foot - 14 * unit, 2 * unit, 14 * unit);
    ctx.beginPath();
    ctx.moveTo(x, foot - 22 * unit);
    ctx.lineTo(x + 4 * unit, foot - 14 * unit);
    ctx.lineTo(x - 4 * unit, foot - 14 * unit);
    ctx.fill();
  });
  ctx.restore();
}

/** Maintenance: a tinted band between two lines, with a stripe along its top. */
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

/** The newest props, read by the callbacks: the chart is made once, so that new data does not end a drag. */
type Latest = { current: Props };

function options(latest: Latest, width: number, height: number): uPlot.Options {
  const axis = { stroke: color('--ink-2'), grid: { stroke: color('--line'), width: 1 }, ticks: { show: false } };
  return {
    width,
    height,
    padding: [12, 16, 0, 0],
    legend: { show: false },
    cursor: { drag: { x: true, y: false, setScale: false }, points: { show: false } },
    scales: {
      x: { time: false, range: () => [latest.current.from, latest.current.to] },
      y: { range: (_, __, max) => [0, Math.max(max * 1.1, 1)] },
    },
    axes: [
      {
        ...axis,
        incrs: TICK_STEPS,
        splits: (_, __, from, to, step) => ticksBetween(from, to, step),
        values: (_, splits, __, ___, step) => timeTicks(splits, step),
      },
      { ...axis, size: 64, values: (_, values) => values.map((value) => ms(value)) },
    ],
    series: [
      {},
      ...[...PHASES].reverse().map(({ color: name }) => ({
        paths: stepped,
        fill: color(name),
        width: 0,
        points: { show: false },
        spanGaps: true,
      })),
    ],
    hooks: {
      drawClear: [(chart: uPlot) => drawBands(chart, latest.current.bands)],
      draw: [(chart: uPlot) => drawFailures(chart, latest.current.data)],
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

/** Times, then the sums from the largest to the smallest: each is drawn over the one before. */
const seriesOf = ({ times, stacked }: ChartData): uPlot.AlignedData => [times, ...[...stacked].reverse()];

/** Latency over time, stacked by phase; dragging over it zooms. */
export function PhaseChart(props: Props) {
  const box = useRef<HTMLDivElement>(null);
  const chart = useRef<uPlot | null>(null);
  const latest = useRef(props);
  latest.current = props;
  const themed = shownTheme.value;

  useEffect(() => {
    const element = box.current;
    if (!element) return undefined;
    const size = () => ({ width: element.clientWidth, height: element.clientHeight });
    const made = new uPlot(options(latest, size().width, size().height), seriesOf(latest.current.data), element);
    chart.current = made;
    const observer = new ResizeObserver(() => made.setSize(size()));
    observer.observe(element);
    return () => {
      observer.disconnect();
      made.destroy();
    };
  }, [themed]);

  useEffect(() => chart.current?.setData(seriesOf(props.data)), [props.data, props.from, props.to]);
  // Not with new data, which would end a drag.
  useEffect(() => chart.current?.redraw(false, false), [props.bands]);

  return <div class="chart" ref={box} role="img" aria-label={props.label} />;
}
