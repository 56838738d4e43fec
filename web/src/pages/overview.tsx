import { useComputed, useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import type { OverviewItem, Status } from '../api/types';
import { Select } from '../components/form/field';
import { Icon } from '../components/icons';
import { Button } from '../components/layout';
import { Rows } from '../components/overview/rows';
import { Shape, statusWord } from '../components/status';
import { count } from '../logic/format';
import { type Line, linesOf } from '../logic/overview-lines';
import { type Filters, grouped, STATUSES } from '../logic/overview-order';
import { checkNow, setEnabled } from '../state/endpoint-actions';
import { useKeys } from '../state/keyboard';
import { useEvery } from '../state/load';
import { counts, items, overviewError, refresh } from '../state/overview-store';
import { go, route, setQuery } from '../state/router';
import { may } from '../state/session';

const ORDERS: Filters['order'][] = ['worst', 'name', 'slowest'];

function readFilters(query: URLSearchParams): Filters {
  return {
    text: query.get('q') ?? '',
    status: STATUSES.find((status) => status === query.get('status')) ?? null,
    website: query.get('website'),
    order: ORDERS.find((order) => order === query.get('order')) ?? 'worst',
  };
}

/** Every endpoint, grouped by website, with filters, order and keyboard. */
export function OverviewPage() {
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
      {overviewError.value !== null && (
        <p class="notice warn">{overviewError.value} What you see may be out of date.</p>
      )}
      <ColumnsHead />
      <Rows lines={lines.value} current={current.value} />
      {lines.value.length === 0 && (
        <div class="empty">
          <p>No endpoint matches.</p>
          <Button onClick={() => setQuery({ q: null, status: null, website: null })}>Clear filters</Button>
        </div>
      )}
    </>
  );
}

/** `/` searches, `j` and `k` select an endpoint, the other keys act on the selected one. */
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
      <p>This key is read-only. Sign in with a write key to add the first endpoint.</p>
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
