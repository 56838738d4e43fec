import { useSignal } from '@preact/signals';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import type { LatencyBucket } from '../../api/types';
import {
  type CellKind,
  cellPath,
  type Day,
  dayText,
  type Grid,
  hourOfWeekText,
  kindOf,
  monthsOf,
  PITCH,
  SIDE,
  type Counts,
  WEEKDAYS,
  weekGrid,
  weekSummary,
  yearGrid,
  yearSummary,
} from '../../logic/calendar';
import { percent } from '../../logic/format';
import { Table } from '../layout';
import { hideTip, showTip } from '../tip';
import { sliderOver } from './slider';

const KINDS: readonly [kind: CellKind, name: string][] = [
  ['good', 'No failures'],
  ['some', 'Up to 1% failed'],
  ['bad', 'More than 1% failed'],
  ['planned', 'Maintenance'],
  ['unknown', 'Unknown'],
  ['none', 'Not checked'],
];

/** The space above the squares for their headings, in pixels. */
const HEAD = 18;
const ROWS = WEEKDAYS.length;
const HEIGHT = HEAD + ROWS * PITCH;

interface Props<T> {
  label: string;
  grid: Grid<T>;
  /** A sentence about all squares. `describe` returns one about an individual square. */
  summary: string;
  describe: (index: number, cell: T) => string;
}

/** Shows weekdays as columns of squares with tooltips. The arrow keys move from square to square. */
function Squares<T extends Counts>({ label, grid, summary, describe }: Props<T>) {
  const { cells, heads } = grid;
  const scroller = useRef<HTMLDivElement>(null);
  const box = useRef<HTMLDivElement>(null);
  const at = useSignal<number | null>(null);
  const kinds = useMemo(() => cells.map((cell) => cell && kindOf(cell)), [cells]);
  const last = cells.findLastIndex((cell) => cell !== null);
  const index = at.value;
  const cell = index === null ? null : cells[index];
  const text = index === null || !cell ? summary : describe(index, cell);
  const [x, y] = [Math.floor((index ?? 0) / ROWS) * PITCH, ((index ?? 0) % ROWS) * PITCH];

  // On a phone, scrolls to the newest squares.
  useEffect(() => scroller.current?.scrollTo({ left: scroller.current.scrollWidth }), []);
  useEffect(() => {
    if (index === null || !box.current) return;
    const { left, top } = box.current.getBoundingClientRect();
    showTip(left + x + SIDE / 2, top + HEAD + y, text);
  }, [index, text]);

  const select = (next: number) => {
    if (cells[next]) at.value = next;
  };
  const leave = () => {
    at.value = null;
    hideTip();
  };
  const step = (event: KeyboardEvent) => {
    const move = { ArrowLeft: -ROWS, ArrowRight: ROWS, ArrowUp: -1, ArrowDown: 1 }[event.key];
    const end = { Home: 0, End: last }[event.key];
    if ((move === undefined && end === undefined) || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    select(end ?? (at.value ?? last) + (move ?? 0));
    const column = Math.floor((at.value ?? last) / ROWS) * PITCH;
    if (scroller.current) scroller.current.scrollLeft = column - scroller.current.clientWidth / 2;
  };

  return (
    <div class="squares">
      <div class="squares-days" aria-hidden="true">
        {WEEKDAYS.map((name, row) => (
          <span key={name}>{row % 2 === 0 && name}</span>
        ))}
      </div>
      <div class="squares-scroll" ref={scroller}>
        <div
          ref={box}
          aria-label={label}
          {...sliderOver({ last, index, text, select, leave })}
          onKeyDown={step}
          onPointerMove={(event) => {
            const { left, top } = event.currentTarget.getBoundingClientRect();
            const row = Math.floor((event.clientY - top - HEAD) / PITCH);
            if (row >= 0 && row < ROWS) select(Math.floor((event.clientX - left) / PITCH) * ROWS + row);
          }}
        >
          <svg width={(cells.length / ROWS) * PITCH} height={HEIGHT} aria-hidden="true">
            {heads.map((head) => (
              <text key={head.column} x={head.column * PITCH} y={HEAD - 7}>
                {head.text}
              </text>
            ))}
            <g transform={`translate(0 ${HEAD})`}>
              {KINDS.map(([kind]) => (
                <path key={kind} class={`s-${kind}`} d={cellPath(kinds, kind)} />
              ))}
              {index !== null && <rect class="s-at" x={x - 1.5} y={y - 1.5} width={SIDE + 3} height={SIDE + 3} />}
            </g>
          </svg>
        </div>
      </div>
      <p>{summary.charAt(0).toUpperCase() + summary.slice(1)}.</p>
      <Legend shown={new Set(kinds)} />
    </div>
  );
}

/** Lists only the kinds that occur, so that a year without failures has a short legend. */
const Legend = ({ shown }: { shown: ReadonlySet<CellKind | null> }) => (
  <ul class="legend">
    {KINDS.filter(([kind]) => shown.has(kind)).map(([kind, name]) => (
      <li key={kind}>
        <svg width={SIDE} height={SIDE} aria-hidden="true">
          <path class={`s-${kind}`} d={cellPath([kind], kind)} />
        </svg>
        {name}
      </li>
    ))}
  </ul>
);

/**
 * Shows availability for each day of a year, oldest first, with a table of months. `name` is the endpoint or website.
 */
export function Calendar({ name, days, nowMs }: { name: string; days: readonly Day[]; nowMs: number }) {
  const grid = useMemo(() => yearGrid(days, nowMs), [days, Math.floor(nowMs / 3_600_000)]);
  const summary = useMemo(() => yearSummary(days), [days]);
  return (
    <>
      <Squares label={`Days of ${name}`} grid={grid} summary={summary} describe={(_, day) => dayText(day)} />
      <details>
        <summary>Month by month</summary>
        <Table
          label="Months"
          head={['Month', '#Uptime', '#Days', '#With failures', 'Worst day']}
          rows={monthsOf(days).map((month) => [
            month.name,
            percent(month.uptime),
            month.days,
            month.failed,
            month.worst === null ? '–' : dayText(month.worst),
          ])}
        />
      </details>
    </>
  );
}

/** Shows at which hours of the week checks fail, based on hourly buckets, in the browser's time zone. */
export function HoursOfWeek({ name, buckets }: { name: string; buckets: readonly LatencyBucket[] }) {
  const grid = useMemo(() => weekGrid(buckets), [buckets]);
  return (
    <Squares
      label={`Hours of the week of ${name}`}
      grid={grid}
      summary={weekSummary(grid.cells)}
      describe={hourOfWeekText}
    />
  );
}
