import type { ComponentChildren } from 'preact';
import type { OverviewItem } from '../../api/types';
import { acknowledgedText } from '../../logic/acknowledged-text';
import { linePath } from '../../logic/beat-shapes';
import { count, daysUntil, ms } from '../../logic/format';
import { expectedText, isHeartbeat } from '../../logic/heartbeat';
import { itemsOf, type Line } from '../../logic/overview-lines';
import { shownStatus } from '../../logic/overview-order';
import { reasonText } from '../../logic/reason-text';
import { now } from '../../state/clock';
import { hourlyLatency } from '../../state/overview-store';
import { isSelecting, pick, picked, setUptimeWindow, uptimeWindow, WINDOWS } from '../../state/overview-view';
import { DayBeats } from '../check/day-beats';
import { Share } from '../check/share';
import { optionsOf } from '../form/field';
import { QuietMark } from '../quiet';
import { Shape, statusWord } from '../status';
import { Votes } from '../votes';

interface Row {
  item: OverviewItem;
  /** Whether the surrounding rows belong to several websites. */
  isMixed: boolean;
  lines: readonly Line[];
}

interface Column {
  /** The CSS class for the heading and the cells. */
  class: string;
  /**
   * The widths in wide windows, below 1240 px, and below 980 px. If the last one is missing, the column is hidden
   * there. On a phone, a row is a card.
   */
  widths: readonly [wide: string, medium: string, narrow?: string];
  /** Hidden from screen readers, because every cell has its own label. */
  title: ComponentChildren;
  /** A control next to the title. */
  choice?: () => ComponentChildren;
  cell: (row: Row) => ComponentChildren;
}

const COLUMNS: readonly Column[] = [
  {
    class: 'state',
    widths: ['var(--state)', 'var(--state)', 'var(--state)'],
    title: <span class="sr">Status</span>,
    cell: Status,
  },
  {
    class: 'name',
    widths: ['minmax(160px, 1fr)', 'minmax(140px, 1fr)', 'minmax(110px, 1fr)'],
    title: 'Endpoint',
    cell: Name,
  },
  {
    class: 'recent',
    widths: ['minmax(200px, 264px)', '220px', '180px'],
    title: 'Last 24 hours',
    cell: ({ item }) => <DayBeats item={item} />,
  },
  { class: 'num', widths: ['92px', '92px', '92px'], title: 'Uptime', choice: WindowChoice, cell: Uptime },
  { class: 'spark', widths: ['184px', '72px', '66px'], title: 'Response p95', cell: Latency },
];

const classOf = ({ class: own, widths: [, , narrow] }: Column): string => (narrow === undefined ? `${own} less` : own);

const template = (at: 0 | 1 | 2): string => COLUMNS.flatMap(({ widths }) => widths[at] ?? []).join(' ');

/**
 * The column widths, set on an element that wraps the heading and the rows. The stylesheet picks those that fit the
 * window.
 */
export const TEMPLATES = { '--wide': template(0), '--medium': template(1), '--narrow': template(2) };

export const ColumnsHead = () => (
  <div class="columns-head">
    {COLUMNS.map((column) => (
      <div class={classOf(column)} key={column.class}>
        <span aria-hidden="true">{column.title}</span>
        {column.choice?.()}
      </div>
    ))}
  </div>
);

export const Cells = (row: Row) => (
  <>
    {COLUMNS.map((column) => (
      <div class={classOf(column)} key={column.class}>
        {column.cell(row)}
      </div>
    ))}
  </>
);

function WindowChoice() {
  return (
    <select
      aria-label="Uptime over"
      value={uptimeWindow.value}
      onChange={({ currentTarget: { value } }) => {
        const window = WINDOWS.find((each) => each === value);
        if (window) setUptimeWindow(window);
      }}
    >
      {optionsOf(WINDOWS.map((each) => [each, each.replace(/\D/, ' $&')] as const))}
    </select>
  );
}

function Status({ item, lines }: Row) {
  return (
    <>
      {isSelecting.value && (
        <input
          type="checkbox"
          aria-label={`Select ${item.name}`}
          checked={picked.value.has(item.id)}
          onClick={(event) => pick(item.id, itemsOf(lines), event.shiftKey)}
        />
      )}
      <span id={`status-${item.id}`}>
        <span class={`shape status-mark ${shownStatus(item)}`}>
          <Shape status={shownStatus(item)} size={14} />
          <span class="sr">{statusWord(shownStatus(item))}</span>
        </span>
      </span>
    </>
  );
}

function Name({ item, isMixed }: Row) {
  return (
    <>
      <div>
        <a id={`link-${item.id}`} href={`#/endpoints/${item.id}`} aria-describedby={`status-${item.id}`}>
          {item.name}
        </a>
        <QuietMark item={item} />
        {isMixed && <span class="small muted">{item.website.name}</span>}
      </div>
      <p>
        {item.acknowledgement ? (
          <span class="chip" title={acknowledgedText(item.acknowledgement, now.value)}>
            Acknowledged
          </span>
        ) : (
          item.alert_open && (
            <span class="chip" title="An alert is open">
              Alert open
            </span>
          )
        )}
        <Votes of={item} />
        <Certificate expiresAt={item.certificate_expires_at} />
        <span class={shownStatus(item)}>{rowText(item)}</span>
      </p>
    </>
  );
}

/** Returns the type and the URL, when a job is expected, or why the endpoint is not up. */
function rowText(item: OverviewItem): string {
  const status = shownStatus(item);
  const type = item.type.charAt(0) + item.type.slice(1).toLowerCase();
  const kind = isHeartbeat(item) ? 'Cron job' : type.length > 5 ? type : item.type;
  if (item.status === 'down' && item.last_error !== null) return `Down · ${reasonText(item.last_error)}`;
  const what =
    item.next_expected_at !== null
      ? expectedText(item.next_expected_at, now.value)
      : isHeartbeat(item)
        ? 'waiting for the first ping'
        : item.url.replace(/^\w+:\/\//, '').replace(/\/$/, '');
  const age = status === 'unknown' || status === 'paused' ? `${statusWord(status)} · ` : '';
  return `${age}${kind} · ${what}`;
}

const WINDOW_WORDS = { '24h': '24 hours', '7d': '7 days', '30d': '30 days', '90d': '90 days' };

function Uptime({ item }: Row) {
  const shown = uptimeWindow.value;
  const window = WINDOW_WORDS[shown];
  return (
    <>
      <span class="sr">Uptime {window} </span>
      <Share
        of={item[`uptime_${shown}`]}
        watched={item[`watched_${shown}`]}
        coverage={shown === '24h' ? item.coverage_24h : undefined}
        window={window}
      />
    </>
  );
}

function Latency({ item }: Row) {
  return (
    <>
      <Sparkline item={item} />
      <span class="num">
        <span class="sr">p95 </span>
        {ms(item.p95_ms)}
      </span>
    </>
  );
}

function Certificate({ expiresAt }: { expiresAt: string | null }) {
  if (expiresAt === null) return null;
  const days = daysUntil(expiresAt, now.value);
  if (days >= 30) return null;
  return (
    <span class={`status ${days < 7 ? 'down' : 'unknown'}`}>
      {days < 0 ? 'Certificate expired' : `Certificate ${days} d`}
    </span>
  );
}

/** With fewer points, a line shows nothing useful. The line starts at zero, so that small changes look small. */
const FEWEST_POINTS = 3;

function Sparkline({ item }: { item: OverviewItem }) {
  const points = hourlyLatency.value.get(item.id) ?? [];
  const known = points.filter((point) => point !== null);
  if (known.length < FEWEST_POINTS) return <svg class="sparkline" aria-hidden="true" />;
  const scale = `By the hour: ${ms(Math.min(...known))} to ${ms(Math.max(...known))} in ${count(known.length, 'hour')}`;
  return (
    <svg class="sparkline" viewBox="0 0 104 24" aria-hidden="true">
      <title>{scale}</title>
      <path class="zero" d="M1 23.5h102" />
      <path d={linePath(points, 104, 22, 0)} />
    </svg>
  );
}
