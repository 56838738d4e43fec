import { page, query } from '../../api/client';
import type { AlertEvent, OverviewItem } from '../../api/types';
import { endingSoon, failedBecause, headlineOf, reached, toldText } from '../../logic/overview-headline';
import { type Filters, countsOf, selected, STATUSES } from '../../logic/overview-order';
import { count } from '../../logic/format';
import { now } from '../../state/clock';
import { openCount, openIncidents } from '../../state/incidents';
import { useEvery, useLoad } from '../../state/load';
import { items, websites } from '../../state/overview-store';
import { setQuery } from '../../state/router';
import { Icon } from '../icons';
import { Shape, statusWord } from '../status';

/** Shows the state of all endpoints in a sentence that can be read from a distance, and the counters that filter. */
export function Headline({ filters }: { filters: Filters }) {
  const { status, before, item, after } = headlineOf(items.value ?? [], now.value);
  return (
    <section class={`headline ${status}`} aria-label="Overall status">
      <p>
        {before}
        {item && <a href={`#/endpoints/${item.id}`}>{item.name}</a>}
        {after}
        {status === 'down' && item && <Told key={item.id} item={item} />}
        <OpenIncidents />
      </p>
      <Counters filters={filters} />
    </section>
  );
}

/** Links to the open incident, or to the list if there are several. */
function OpenIncidents() {
  const [newest] = openIncidents.value ?? [];
  if (!newest) return null;
  const n = openCount.value;
  return (
    <>
      {' '}
      <a href={n === 1 ? `#/incidents/${newest.id}` : '#/incidents'}>
        {n === 1 ? `Incident #${newest.number}` : count(n, 'incident')}
      </a>
    </>
  );
}

/** Messages are sent shortly after a failure is detected, and an alert may start before the status changes. */
const EARLIER_MS = 3_600_000;

/** Shows who was notified about an endpoint that is down. */
function Told({ item }: { item: OverviewItem }) {
  const { id, alert_open: isOpen, status_since } = item;
  const told = useLoad(`told/${id}/${isOpen}`, async (signal) => {
    if (!isOpen) return [];
    const events = `/api/v1/alerts/events${query({ endpoint_id: id, type: 'triggered', limit: 20 })}`;
    return (await page<AlertEvent>(events, signal)).items;
  });
  useEvery(30, told.reload);
  const { value } = told.data;
  const sinceMs = Date.parse(status_since ?? '') - EARLIER_MS;
  return <> {toldText(item, value ? reached(value, sinceMs) : null, value && failedBecause(value))}</>;
}

/** Shows how many endpoints are in each status, counting those that match the text and website filters. */
function Counters({ filters }: { filters: Filters }) {
  const { status } = filters;
  const found = selected(items.value ?? [], filters, websites.value ?? []);
  const counts = countsOf(found);
  const ending = endingSoon(found, now.value);
  return (
    <div class="counters" role="group" aria-label="Filter by status">
      {STATUSES.filter((each) => each !== 'degraded' || counts[each] > 0 || status === each).map((each) => (
        <button
          type="button"
          key={each}
          class={`${each}${counts[each] > 0 ? ' some' : ''}`}
          aria-pressed={status === each}
          onClick={() => setQuery({ status: status === each ? null : each })}
        >
          <Shape status={each} />
          <b>{counts[each].toLocaleString('en')}</b> <span>{statusWord(each)}</span>
        </button>
      ))}
      <button type="button" aria-pressed={status === null} onClick={() => setQuery({ status: null })}>
        <b>{found.length.toLocaleString('en')}</b> <span>All</span>
      </button>
      {ending > 0 && (
        <a class="button" href="#/certificates" title="Certificates that expire soon">
          <Icon name="clock" size={14} />
          <b>{ending.toLocaleString('en')}</b> <span>{ending === 1 ? 'expires' : 'expire'} soon</span>
        </a>
      )}
    </div>
  );
}
