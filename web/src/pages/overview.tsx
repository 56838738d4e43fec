import { useComputed, useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { all, query } from '../api/client';
import type { Contact, Endpoint, OverviewItem } from '../api/types';
import { Empty } from '../components/empty';
import { Select } from '../components/form/field';
import { Icon } from '../components/icons';
import { Button, Skeleton, Title } from '../components/layout';
import { lazy } from '../components/lazy';
import { Menu } from '../components/menu';
import { OverloadWatch } from '../components/overload';
import { FailingContacts } from '../components/overview/failing-contacts';
import { Headline } from '../components/overview/headline';
import { Rows } from '../components/overview/rows';
import { count } from '../logic/format';
import { itemsOf, type Line, linesOf } from '../logic/overview-lines';
import { type Filters, filtersOf, type Group, grouped, tagsOf } from '../logic/overview-order';
import { progress } from '../state/bulk';
import { isHeartbeat } from '../logic/heartbeat';
import { checkNow, setEnabled } from '../state/endpoint-actions';
import { useContacts } from '../state/contacts';
import { editedWebsite, openWebsite } from '../state/edited-website';
import { useKeys } from '../state/keyboard';
import { useEvery, useLoad } from '../state/load';
import { items, overviewError, refresh, refreshWebsites, websites } from '../state/overview-store';
import { fold, folded, isCompact, isSelecting, pick, picked, selectSeveral, setCompact } from '../state/overview-view';
import { go, route, setQuery } from '../state/router';
import { may } from '../state/session';

// Not loaded with the first page, because few users select several endpoints.
const BulkBar = lazy(() => import('../components/overview/bulk-bar').then((file) => file.BulkBar));
const WebsiteDialog = lazy(
  () => import('../components/overview/website-dialog').then((file) => file.WebsiteDialog),
  false,
);
// Only for organizations with many tags.
const Chooser = lazy(() => import('../components/form/chooser').then((file) => file.Chooser), false);
// Shown only in the first days.
const FirstSteps = lazy(() => import('../components/overview/first-steps').then((file) => file.FirstSteps), false);
// Most installations have no probe.
const LocationFilter = lazy(
  () => import('../components/overview/location-filter').then((file) => file.LocationFilter),
  false,
);

/** Shows every endpoint, grouped by website, with filters, sorting, and keyboard shortcuts. */
export function OverviewPage() {
  const location = route.value.query.get('location');
  const at = useLoad(`at/${location}`, async (signal) => {
    if (location === null) return null;
    return new Set(
      (await all<Endpoint>(`/api/v1/endpoints${query({ location, limit: 500 })}`, signal)).map(({ id }) => id),
    );
  });
  useEvery(60, at.reload);
  const filters = useComputed(() => filtersOf(route.value.query, at.data.value));
  const groups = useComputed(() => grouped(items.value ?? [], filters.value, websites.value ?? []));
  // Search results must not be hidden in a folded website.
  const isSearch = useComputed(() => {
    const { text, status, tag, planned, location: place } = filters.value;
    return text !== '' || status !== null || tag !== null || planned || place !== null;
  });
  const lines = useComputed(() => linesOf(groups.value, isSearch.value ? new Set<string>() : folded.value));
  const current = useSignal<string | null>(null);
  const search = useRef<HTMLInputElement>(null);

  useEffect(() => {
    void refresh();
    void refreshWebsites();
  }, []);
  useEvery(15, () => void refresh());
  const contacts = useContacts();
  useEvery(300, contacts.reload);
  useOverviewKeys(lines, current, search);

  if (items.value === null) {
    return overviewError.value === null ? <RowsToCome /> : <p class="notice bad">{overviewError.value}</p>;
  }
  if (items.value.length === 0 && !websites.value?.length) return <Welcome contacts={contacts.data.value} />;
  const shown = groups.value.flatMap((group) => group.items);
  return (
    <>
      <a
        class="button skip"
        href="#list"
        onClick={(event) => {
          event.preventDefault();
          document.querySelector<HTMLElement>('.row a')?.focus();
        }}
      >
        Skip to the endpoints
      </a>
      <Headline filters={filters.value} contacts={contacts.data.value ?? []} />
      <OverloadWatch />
      <FailingContacts contacts={contacts.data.value ?? []} />
      <FilterBar
        filters={filters.value}
        search={search}
        shown={shown.length}
        groups={isSearch.value ? [] : groups.value}
      />
      {overviewError.value !== null && (
        <p class="notice warn">{overviewError.value} The data on this page may be out of date.</p>
      )}
      <Rows lines={lines.value} current={current.value} />
      {lines.value.length === 0 && (
        <div class="empty">
          <p>No endpoint matches.</p>
          <Button
            onClick={() => setQuery({ q: null, status: null, website: null, tag: null, planned: null, location: null })}
          >
            Clear filters
          </Button>
        </div>
      )}
      {may.write() && <FirstSteps contacts={contacts.data.value} />}
      {may.write() && (picked.value.size > 0 || progress.value) && <BulkBar shown={shown} />}
      {editedWebsite.value !== null && <WebsiteDialog />}
    </>
  );
}

/** Binds the keys: `/` searches, `j` and `k` select an endpoint, and other keys act on the selected one. */
function useOverviewKeys(
  lines: { value: Line[] },
  current: { value: string | null },
  search: { current: HTMLInputElement | null },
) {
  const itemsShown = (): OverviewItem[] => itemsOf(lines.value);
  const marked = (): OverviewItem | undefined => itemsShown().find((item) => item.id === current.value);
  const toggle = (isRange: boolean) => () => {
    const item = marked();
    if (!item || !may.write()) return;
    isSelecting.value = true;
    pick(item.id, itemsShown(), isRange);
  };
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
    x: toggle(false),
    X: toggle(true),
    c: () => {
      const item = marked();
      if (item && may.write() && !isHeartbeat(item)) void checkNow(item.id, item.name);
    },
    p: () => {
      const item = marked();
      if (item && may.write()) void setEnabled(item.id, item.name, item.status === 'paused');
    },
  });
}

/** Gray rows until the first endpoints arrive. */
const RowsToCome = () => (
  <>
    <Title class="sr">Overview</Title>
    <div class="rows-to-come">
      <Skeleton rows={9} />
    </div>
  </>
);

const Welcome = ({ contacts }: { contacts: readonly Contact[] | undefined }) => (
  <>
    <Empty drawing="rows">
      {editedWebsite.value !== null && <WebsiteDialog />}
      <Title tab="Overview">No endpoints yet</Title>
      <p>Paste a URL or a host name. The first result appears within seconds.</p>
      {may.write() ? (
        <p class="actions center">
          <a class="button primary" href="#/new">
            <Icon name="plus" /> Add endpoint
          </a>
          <Button onClick={() => openWebsite()}>New website</Button>
        </p>
      ) : (
        <p>You have read-only access. Ask someone with write access to add the first endpoint.</p>
      )}
    </Empty>
    {may.write() && <FirstSteps contacts={contacts} />}
  </>
);

function FilterBar(props: {
  filters: Filters;
  shown: number;
  groups: readonly Group[];
  search: { current: HTMLInputElement | null };
}) {
  const { filters } = props;
  const names = (websites.value ?? []).map(({ id, name }) => [id, name] as const);
  const foldable = props.groups.flatMap(({ id, isMixed }) => (isMixed ? [] : [id]));
  const isAllFolded = foldable.every((id) => folded.value.has(id));
  return (
    <div class="filters one-line" role="search">
      <input
        ref={props.search}
        type="search"
        aria-label="Search endpoints"
        placeholder="Search name, URL, tag…"
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
        options={[['', 'All websites'], ...names.sort((a, b) => a[1].localeCompare(b[1]))]}
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
      {(filters.location !== null || (items.value ?? []).some((item) => item.locations !== null)) && (
        <LocationFilter location={filters.location} />
      )}
      <QuietFilters filters={filters} />
      {may.write() && (
        <button type="button" aria-pressed={isSelecting.value} onClick={() => selectSeveral(!isSelecting.value)}>
          Select
        </button>
      )}
      <Menu label="View">
        <button class="wide" type="button" aria-pressed={isCompact.value} onClick={() => setCompact(!isCompact.value)}>
          Compact rows
        </button>
        {foldable.length > 1 && (
          <Button onClick={() => fold(foldable, !isAllFolded)}>{isAllFolded ? 'Expand all' : 'Collapse all'}</Button>
        )}
        <Button onClick={() => setQuery({ wall: '1' })}>Wall display</Button>
        {may.write() && (
          <>
            <hr />
            <Button onClick={() => openWebsite()}>New website</Button>
          </>
        )}
      </Menu>
      <p class="sr" role="status">
        {count(props.shown, 'endpoint')} shown
      </p>
    </div>
  );
}

/** The number of tags to show as buttons. Others can be found by searching. */
const TAGS = 8;

/** Filters by maintenance and by tag. Renders nothing if there is neither. */
function QuietFilters({ filters: { planned, tag } }: { filters: Filters }) {
  const all = items.value ?? [];
  const inMaintenance = all.filter((item) => item.maintenance).length;
  const tags = tagsOf(all, websites.value ?? []);
  return (
    <>
      {(planned || inMaintenance > 0) && (
        <button type="button" aria-pressed={planned} onClick={() => setQuery({ planned: planned ? null : '1' })}>
          <Icon name="wrench" size={14} /> In maintenance {inMaintenance.toLocaleString('en')}
        </button>
      )}
      {tags.length > TAGS ? (
        <Chooser
          isFilter
          label="Tag"
          placeholder="Every tag"
          value={tag ?? ''}
          set={(next) => setQuery({ tag: next })}
          options={[['', 'Every tag'], ...tags.map(([name, n]) => [name, `${name} (${n})`] as const)]}
        />
      ) : (
        tags.length > 0 && (
          <div class="tags" role="group" aria-label="Filter by tag">
            {tags.map(([name]) => (
              <button
                type="button"
                class="tag"
                key={name}
                aria-pressed={tag === name}
                onClick={() => setQuery({ tag: tag === name ? null : name })}
              >
                {name}
              </button>
            ))}
          </div>
        )
      )}
      {tag !== null && <a href={`#/escalation?tag=${encodeURIComponent(tag)}`}>Escalation of {tag}</a>}
    </>
  );
}
