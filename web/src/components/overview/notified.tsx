import { all, page, query } from '../../api/client';
import type { Alert, AlertEvent, Contact } from '../../api/types';
import { channelName } from '../../logic/channel-name';
import { toldNext } from '../../logic/incident-story';
import { failedBecause, reached } from '../../logic/overview-headline';
import { nextText, notifiedText } from '../../logic/overview-now';
import { now } from '../../state/clock';
import { useEvery, useLoad } from '../../state/load';

/** Shows who was notified about an incident, and who is next. */
export function Notified({ of, since, contacts }: { of: string; since: string; contacts: readonly Contact[] }) {
  const told = useLoad(`notified/${of}`, async (signal) => {
    const triggered = `/api/v1/alerts/events${query({ incident_id: of, type: 'triggered', limit: 20 })}`;
    const events = (await page<AlertEvent>(triggered, signal)).items;
    const [newest] = events;
    const alerts = newest
      ? await all<Alert>(`/api/v1/alerts${query({ endpoint_id: newest.endpoint_id, limit: 100 })}`, signal)
      : [];
    return { events, next: toldNext(alerts, since)[0] };
  });
  useEvery(30, told.reload);
  const { value } = told.data;
  if (!value) return null;
  const notified = notifiedText(reached(value.events, 0), value.events.length > 0, failedBecause(value.events));
  const next = nextText(
    value.next,
    ({ contact_id, type }) => contacts.find(({ id }) => id === contact_id)?.name ?? channelName(type),
    now.value,
  );
  return (
    <>
      {notified !== '' && <span>{notified}</span>}
      {next !== '' && <span class="next">Next: {next}</span>}
    </>
  );
}
