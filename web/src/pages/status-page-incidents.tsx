import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { get } from '../api/client';
import { statusPageAt } from '../api/home';
import type { IncidentDetails, PublicHistory, PublicPage } from '../api/types';
import { PublicCard } from '../components/incident/public-preview';
import { Button, Section } from '../components/layout';
import { time } from '../logic/format';
import { lengthText, namesText } from '../logic/incident';
import { coveredBy, monthAfter, monthText, publicStatus, publicTitle, shownOn } from '../logic/incident-public';
import { now } from '../state/clock';
import { openIncidents, refreshIncidents } from '../state/incidents';
import { useLoad, useReload } from '../state/load';
import { items, tagsOf } from '../state/overview-store';
import { may } from '../state/session';
import '../styles/incident.css';

/** The maximum number of open incidents to load. Only the incident itself shows what a page would contain. */
const MOST = 20;

const NAMED = 5;

/**
 * Shows open incidents that would be on the page, and whether customers see them. Renders nothing if there are none.
 */
export function OpenOnPage({ page }: { page: PublicPage }) {
  useEffect(() => void refreshIncidents(), []);
  const open = (openIncidents.value ?? []).slice(0, MOST);
  const read = useLoad('open-on-page', (signal) =>
    Promise.all(open.map(({ id }) => get<IncidentDetails>(`/api/v1/incidents/${id}`, signal))),
  );
  useReload(read, [open.map(({ id, updated_at }) => id + updated_at).join()]);
  const shown = (read.data.value ?? []).flatMap((incident) => {
    const affected = incident.scope ? coveredBy(incident.scope, items.value ?? [], tagsOf) : incident.endpoints;
    const [on] = shownOn([{ ...page, enabled: true }], affected);
    return on ? [{ incident, on }] : [];
  });
  if (shown.length === 0) return null;
  return (
    <Section title="Open now">
      <div class="page-incidents">
        {shown.map(({ incident, on }) => (
          <div key={incident.id} class={incident.public ? '' : 'unseen'}>
            <PublicCard
              title={publicTitle(incident, on)}
              status={incident.public ? publicStatus(incident) : null}
              names={on.names}
              updates={incident.updates.filter((update) => update.public)}
            />
            <p class="actions">
              <span class="muted small">
                {incident.public
                  ? page.enabled
                    ? 'Customers see this.'
                    : 'Shown here once the page is public.'
                  : 'Customers see only that it is down.'}
              </span>
              {may.write() && (
                <a class={incident.public ? 'button' : 'button primary'} href={`#/incidents/${incident.id}?public`}>
                  {incident.public ? 'Write an update' : 'Write a public update'}
                </a>
              )}
            </p>
          </div>
        ))}
      </div>
    </Section>
  );
}

/** Shows the page's past incidents, month by month. */
export function PastOnPage({ page }: { page: PublicPage }) {
  const present = new Date(now.peek()).toISOString().slice(0, 7);
  const month = useSignal(present);
  const path = `/status/${page.slug}/history.json?month=${month.value}`;
  const read = useLoad(path, (signal) => get<PublicHistory>(path, signal));
  const list = read.data.value?.incidents;
  return (
    <Section title="Past incidents that customers see">
      <p class="months">
        <Button onClick={() => (month.value = monthAfter(month.value, -1))}>Earlier</Button>
        <a href={`${statusPageAt(page.slug)}/history?month=${month.value}`} target="_blank" rel="noreferrer">
          {monthText(month.value)}
        </a>
        <Button disabled={month.value >= present} onClick={() => (month.value = monthAfter(month.value, 1))}>
          Later
        </Button>
      </p>
      {read.error.value !== null && <p class="notice bad">{read.error.value}</p>}
      {list?.length === 0 && <p class="muted">No incidents were published in {monthText(month.value)}.</p>}
      {list && list.length > 0 && (
        <ol class="feed">
          {list.map((incident) => (
            <li key={incident.id}>
              <span>{time(incident.started_at, now.value)}</span>
              <div>
                <strong>{incident.title}</strong>
                <p class="muted small">{namesText(incident.endpoints, NAMED)}</p>
              </div>
              <span class="num">{lengthText(incident, now.value)}</span>
            </li>
          ))}
        </ol>
      )}
    </Section>
  );
}
