import { useComputed, useSignal } from '@preact/signals';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import type { OverviewItem, Status } from '../api/types';
import { now } from '../state/clock';
import { age, count, daysUntil, ms, percent } from '../logic/format';
import { useKeys } from '../state/keyboard';
import { type Filters, grouped, STATUSES } from '../logic/overview-order';
import { counts, items, latencyOf, overviewError, refresh } from '../state/overview-store';
import { linePath } from '../logic/beat-shapes';
import { useEvery } from '../state/load';
import { Select } from '../components/form/field';
import { Icon } from '../components/icons';
import { Button } from '../components/layout';
import { RecentBeats } from '../components/check/recent-beats';
import { Shape, StatusPill, statusWord } from '../components/status';
import { go, route, setQuery } from '../state/router';
import { type Line, lineAt, linesOf, offsets } from '../logic/overview-lines';
import { may } from '../state/session';
import { checkNow, setEnabled } from '../state/endpoint-actions';

const ORDERS: Filters['order'][] = ['worst', 'name', 'slowest'];
const OVERSCAN = 8;

function readFilters(query: URLSearchParams): Filters {
  return {
    text: query.get('q') ?? '',
    status: STATUSES.find((status) => status === query.get('status')) ?? null,
    website: query.get('website'),
    order: ORDERS.find((order) => order === query.get('order')) ?? 'worst',
  };
}

export function Overview() {
  const filters = useComputed(() => readFilters(route.value.query));
  const lines = useComputed(() => linesOf(grouped(items.value ?? [], filters.value)));
  const current = useSignal<string | null>(null);
  const search = useRef<HTMLInputElement>(null);

  useEffect(() => void refresh(), []);
  useEvery(15, () => void refresh());
  useOverviewKeys(lines, current, search);

  if (items.value === null) {
    return overviewError.value === null ? (
      <p class="muted">Loading…</p>
    ) : (
      <p class="notice bad">{overviewError.value}</p>
    );
  }
  if (items.value.length === 0) return <Welcome />;
  return (
    <>
      <h1 class="sr">Overview</h1>
      <Counters status={filters.value.status} />
      <FilterBar filters={filters.value} search={search} shown={lines.value.filter((line) => 'item' in line).length} />
      {overviewError.value !== null && <p class="notice warn">{overviewError.value} What you see may be old.</p>}
      <ColumnsHead />
      <Rows lines={lines.value} current={current.value} />
      {lines.value.length === 0 && (
        <div class="empty">
          <p>No endpoint matches.</p>
          <Button act={() => setQuery({ q: null, status: null, website: null })}>Clear filters</Button>
        </div>
      )}
    </>
  );
}

function useOverviewKeys(
  lines: { value: Line[] },
  current: { value: string | null },
  search: { current: HTMLInputElement | null },
) {
  const itemsShown = (): OverviewItem[] => lines.value.flatMap((line) => ('item' in line ? [line.item] : []));
  const selected = (): OverviewItem | undefined => itemsShown().find((item) => item.id === current.value);
  const move = (by: number) => {
    const list = itemsShown();
    const index = list.findIndex((item) => item.id === current.value);
    const next = list[Math.min(Math.max(index + by, 0), list.length - 1)];
    if (!next) return;
    current.value = next.id;
    dispatchEvent(new CustomEvent('show-line', { detail: next.id }));
  };
  useKeys({
    '/': () => search.current?.focus(),
    j: () => move(1),
    k: () => move(-1),
    Enter: () => {
      if (current.value !== null) go(`/endpoints/${current.value}`);
    },
    c: () => {
      const item = selected();
      if (item && may.write()) void checkNow(item.id, item.name);
    },
    p: () => {
      const item = selected();
      if (item && may.write()) void setEnabled(item.id, item.name, item.status === 'paused');
    },
  });
}

const Welcome = () => (
  <div class="empty">
    <h1>Nothing is watched yet</h1>
    <p>Paste a URL or a host name; the first result is there within seconds.</p>
    {may.write() ? (
      <a class="button primary" href="#/new">
        <Icon name="plus" /> Watch something
      </a>
    ) : (
      <p>This key may only read. Ask somebody with a write key to add the first endpoint.</p>
    )}
  </div>
);

function Counters({ status }: { status: Status | null }) {
  const total = items.value?.length ?? 0;
  return (
    <div class="counters" role="group" aria-label="Filter by status">
      {STATUSES.map((each) => (
        <button
          type="button"
          key={each}
          class={`${each}${counts.value[each] > 0 ? ' some' : ''}`}
          aria-pressed={status === each}
          onClick={() => setQuery({ status: status === each ? null : each })}
        >
          <b>{counts.value[each].toLocaleString('en')}</b>
          <span>
            <Shape status={each} /> {statusWord(each)}
          </span>
        </button>
      ))}
      <button type="button" aria-pressed={status === null} onClick={() => setQuery({ status: null })}>
        <b>{total.toLocaleString('en')}</b>
        <span>All</span>
      </button>
    </div>
  );
}

function FilterBar(props: { filters: Filters; shown: number; search: { current: HTMLInputElement | null } }) {
  const { filters } = props;
  const websites = new Map((items.value ?? []).map((item) => [item.website.id, item.website.name]));
  return (
    <div class="filters" role="search">
      <input
        ref={props.search}
        type="search"
        aria-label="Search endpoints"
        placeholder="Search  ( / )"
        value={filters.text}
        onInput={(event) => setQuery({ q: event.currentTarget.value })}
        onKeyDown={(event) => {
          if (event.key === 'Escape' || event.key === 'Enter') event.currentTarget.blur();
        }}
      />
      <Select
        label="Website"
        value={filters.website ?? ''}
        set={(website) => setQuery({ website })}
        options={[['', 'All websites'], ...[...websites].sort((a, b) => a[1].localeCompare(b[1]))]}
      />
      <Select
        label="Order"
        value={filters.order}
        set={(order) => setQuery({ order })}
        options={[
          ['worst', 'Worst first'],
          ['name', 'By name'],
          ['slowest', 'Slowest first'],
        ]}
      />
      <p class="sr" role="status">
        {count(props.shown, 'endpoint')} shown
      </p>
    </div>
  );
}

const ColumnsHead = () => (
  <div class="columns-head" aria-hidden="true">
    <span>Status</span>
    <span>Endpoint</span>
    <span>Last 30 checks</span>
    <span class="num">24 h</span>
    <span class="num less">7 d</span>
    <span class="num less">30 d</span>
    <span class="num less">90 d</span>
    <span class="num p95">
      <span>24 h latency, </span>p95
    </span>
    <span class="num less">Checked</span>
  </div>
);

/** Only what is near the viewport is in the page: a thousand endpoints scroll like ten. */
function Rows({ lines, current }: { lines: Line[]; current: string | null }) {
  const box = useRef<HTMLDivElement>(null);
  const view = useSignal({ top: 0, bottom: 1000, narrow: innerWidth <= 640 });
  const tops = offsets(lines, 40, view.value.narrow ? 84 : 52);
  const height = tops[tops.length - 1] ?? 0;

  useLayoutEffect(() => {
    const measure = () => {
      const top = -(box.current?.getBoundingClientRect().top ?? 0);
      const next = { top, bottom: top + innerHeight, narrow: innerWidth <= 640 };
      const { value } = view;
      if (
        Math.abs(value.top - next.top) > 100 ||
        value.bottom - value.top !== next.bottom - next.top ||
        value.narrow !== next.narrow
      )
        view.value = next;
    };
    measure();
    addEventListener('scroll', measure, { passive: true });
    addEventListener('resize', measure);
    return () => {
      removeEventListener('scroll', measure);
      removeEventListener('resize', measure);
    };
  }, []);

  useEffect(() => {
    const show = (event: Event) => {
      const id = (event as CustomEvent<string>).detail;
      const index = lines.findIndex((line) => 'item' in line && line.item.id === id);
      const top = (box.current?.getBoundingClientRect().top ?? 0) + (tops[index] ?? 0);
      if (top < 160) scrollBy({ top: top - 160 });
      else if (top > innerHeight - 80) scrollBy({ top: top - innerHeight + 80 });
    };
    addEventListener('show-line', show);
    return () => removeEventListener('show-line', show);
  });

  const first = Math.max(0, lineAt(tops, view.value.top) - OVERSCAN);
  const last = Math.min(lines.length, lineAt(tops, view.value.bottom) + OVERSCAN + 1);
  return (
    <div
      class="rows"
      ref={box}
      role="list"
      aria-label="Endpoints"
      style={{ height: `${height}px` }}
      hidden={lines.length === 0}
    >
      {lines.slice(first, last).map((line, index) => {
        const top = tops[first + index] ?? 0;
        const place = { top: `${top}px`, height: `${(tops[first + index + 1] ?? 0) - top}px` };
        const position = { 'aria-setsize': lines.length, 'aria-posinset': first + index + 1 };
        return 'group' in line ? (
          <div class="group" role="listitem" key={line.group.id} style={place} {...position}>
            <h2>{may.write() ? <a href={`#/websites/${line.group.id}`}>{line.group.name}</a> : line.group.name}</h2>
            <StatusPill status={line.group.status} />
            <span class="muted small">{count(line.group.items.length, 'endpoint')}</span>
          </div>
        ) : (
          <div
            class="row"
            role="listitem"
            key={line.item.id}
            style={place}
            data-current={current === line.item.id ? '' : undefined}
            {...position}
          >
            <Row item={line.item} />
          </div>
        );
      })}
    </div>
  );
}

function Row({ item }: { item: OverviewItem }) {
  return (
    <>
      <div class="state">
        <StatusPill status={item.status} />
      </div>
      <div class="name">
        <a href={`#/endpoints/${item.id}`}>{item.name}</a>
        <p>
          <span class="chip">{item.type}</span>
          <Certificate expiresAt={item.certificate_expires_at} />
          {item.alert_open && (
            <span class="chip" title="An alert is open">
              Alert open
            </span>
          )}
          <span>{item.status === 'down' && item.last_error ? item.last_error.replaceAll('_', ' ') : item.url}</span>
        </p>
      </div>
      <RecentBeats item={item} />
      <span class="num">
        <span class="sr">Uptime 24 hours </span>
        {percent(item.uptime_24h)}
      </span>
      <span class="num less">{percent(item.uptime_7d)}</span>
      <span class="num less">{percent(item.uptime_30d)}</span>
      <span class="num less">{percent(item.uptime_90d)}</span>
      <div class="spark">
        <Sparkline item={item} />
        <span class="num">
          <span class="sr">p95 </span>
          {ms(item.p95_ms)}
        </span>
      </div>
      <span class="num muted less">{age(item.last_checked_at, now.value)}</span>
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

/** Read per row on show, and at most every five minutes: the overview's answer stays small. */
function Sparkline({ item }: { item: OverviewItem }) {
  const version = String(Math.floor(now.value / 300_000));
  const values = latencyOf.of(item.id, version);
  return (
    <svg class="sparkline" viewBox="0 0 104 24" aria-hidden="true">
      <path d={linePath(values ?? [], 104, 24)} />
    </svg>
  );
}
