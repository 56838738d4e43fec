import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { query } from '../../api/client';
import type { AlertEvent } from '../../api/types';
import { duration, time } from '../../logic/format';
import { now } from '../../state/clock';
import { listen } from '../../state/live';
import { usePages } from '../../state/load';
import { Button } from '../layout';
import { StatusPill } from '../status';

/** Events, newest first; new ones appear at the top while the page is open. */
export function EventFeed({ parameters }: { parameters: Record<string, string> }) {
  const version = useSignal(0);
  const fresh = useSignal<readonly string[]>([]);
  const events = usePages<AlertEvent>(`/api/v1/alerts/events${query(parameters)}`, version.value);
  useEffect(() => {
    const reload = () => {
      version.value++;
    };
    return listen({
      ready: reload,
      alert: (event) => {
        fresh.value = [...fresh.value, event.id];
        reload();
      },
    });
  }, []);

  const list = events.items.value;
  if (!list) return <p class="muted">Loading…</p>;
  return (
    <>
      {list.length === 0 && <p class="empty">Nothing has happened.</p>}
      <ol class="feed" aria-label="Alert events">
        {list.map((event) => (
          <li key={event.id} class={fresh.value.includes(event.id) ? 'fresh' : ''}>
            <span>
              <StatusPill
                status={event.type === 'triggered' ? 'down' : 'up'}
                word={event.type === 'triggered' ? 'Triggered' : 'Resolved'}
              />
            </span>
            <div>
              <p>
                <strong>{event.message}</strong>
              </p>
              <p class="muted small">
                <a href={`#/endpoints/${event.endpoint_id}`}>{event.endpoint_name}</a> · {event.website_name} ·{' '}
                {event.alert_type}
                {event.reason !== 'threshold' && ` · ${event.reason}`}
                {event.duration_seconds !== null && ` · lasted ${duration(event.duration_seconds)}`} ·{' '}
                <a href={`#/alerts/${event.alert_id}`}>rule and deliveries</a>
              </p>
            </div>
            <span class="num muted">{time(event.created_at, now.value)}</span>
          </li>
        ))}
      </ol>
      {events.older && <Button onClick={events.older}>Older events</Button>}
    </>
  );
}
