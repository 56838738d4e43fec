import { signal } from '@preact/signals';
import { query, shownOrganization } from '../api/client';
import { at } from '../api/home';
import type {
  AcknowledgementChange,
  AlertEvent,
  HeartbeatChange,
  IncidentChange,
  LocationChange,
  MaintenanceChange,
  ProbeChange,
  StateChange,
} from '../api/types';
import { changeText } from '../logic/incident';
import { restoreSession } from './session';

/** The live stream's state. It becomes `lost` only after GRACE_MS, so that a short reconnect isn't visible. */
export const live = signal<'connecting' | 'live' | 'lost'>('connecting');
/** The time of the last message, in milliseconds. */
export const lastMessageAt = signal(Date.now());
/** The sentence that screen readers announce when a status changes. */
export const announcement = signal('');

type Listener = {
  check?(change: StateChange): void;
  alert?(event: AlertEvent): void;
  maintenance?(change: MaintenanceChange): void;
  acknowledgement?(change: AcknowledgementChange): void;
  heartbeat?(change: HeartbeatChange): void;
  incident?(change: IncidentChange): void;
  location?(change: LocationChange): void;
  probe?(change: ProbeChange): void;
  /** Called whenever the stream opens, because the data on the page may be out of date. */
  ready?(): void;
};

/** The service pings every ten seconds. After this time without a message, the connection is considered dead. */
const SILENCE_MS = 25_000;
const GRACE_MS = 2500;
const MAX_RETRY_MS = 10_000;

const listeners = new Set<Listener>();
let source: EventSource | null = null;
let lastId = '';
let retryMs = 1000;
let retryTimer = 0;
let graceTimer = 0;
let silenceTimer = 0;

/** Adds a listener. Returns a function that removes it. */
export function listen(listener: Listener): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function received(event?: MessageEvent): void {
  lastMessageAt.value = Date.now();
  if (event?.lastEventId) lastId = event.lastEventId;
  clearTimeout(silenceTimer);
  silenceTimer = window.setTimeout(reconnect, SILENCE_MS);
}

function parsed(event: MessageEvent): unknown {
  received(event);
  return JSON.parse(String(event.data));
}

function open(): void {
  source?.close();
  // An EventSource can't send headers.
  source = new EventSource(
    at(`/api/v1/stream${query({ organization_id: shownOrganization.id, last_event_id: lastId })}`),
  );
  source.addEventListener('ready', (event) => {
    received(event);
    retryMs = 1000;
    clearTimeout(graceTimer);
    graceTimer = 0;
    live.value = 'live';
    for (const listener of listeners) listener.ready?.();
  });
  source.addEventListener('ping', received);
  source.addEventListener('check', (event) => {
    const change = parsed(event) as StateChange;
    announcement.value = `${change.endpoint_name} is ${change.status}.`;
    for (const listener of listeners) listener.check?.(change);
  });
  source.addEventListener('alert', (event) => {
    const alert = parsed(event) as AlertEvent;
    announcement.value = alert.message;
    for (const listener of listeners) listener.alert?.(alert);
  });
  source.addEventListener('maintenance', (event) => {
    const change = parsed(event) as MaintenanceChange;
    announcement.value = `Maintenance ${change.name} has ${change.state}.`;
    for (const listener of listeners) listener.maintenance?.(change);
  });
  source.addEventListener('acknowledgement', (event) => {
    const change = parsed(event) as AcknowledgementChange;
    for (const listener of listeners) listener.acknowledgement?.(change);
  });
  source.addEventListener('heartbeat', (event) => {
    const change = parsed(event) as HeartbeatChange;
    for (const listener of listeners) listener.heartbeat?.(change);
  });
  source.addEventListener('incident', (event) => {
    const change = parsed(event) as IncidentChange;
    announcement.value = changeText(change);
    for (const listener of listeners) listener.incident?.(change);
  });
  source.addEventListener('location', (event) => {
    const change = parsed(event) as LocationChange;
    for (const listener of listeners) listener.location?.(change);
  });
  source.addEventListener('probe', (event) => {
    const change = parsed(event) as ProbeChange;
    announcement.value = `The probe ${change.key} is ${change.status}.`;
    for (const listener of listeners) listener.probe?.(change);
  });
  source.addEventListener('error', reconnect);
}

/** Reconnects manually, because EventSource gives up after the first error response. */
function reconnect(): void {
  source?.close();
  source = null;
  clearTimeout(silenceTimer);
  clearTimeout(retryTimer);
  if (graceTimer === 0) {
    graceTimer = window.setTimeout(() => {
      live.value = 'lost';
    }, GRACE_MS);
  }
  retryTimer = window.setTimeout(() => {
    restoreSession().then(open, reconnect);
  }, retryMs);
  retryMs = Math.min(MAX_RETRY_MS, retryMs * 2);
}

export function startLive(): void {
  if (!source) open();
}

/** Closes the stream. The next one starts without a resume position. */
export function stopLive(): void {
  source?.close();
  source = null;
  lastId = '';
  clearTimeout(retryTimer);
  clearTimeout(silenceTimer);
  clearTimeout(graceTimer);
  graceTimer = 0;
  live.value = 'connecting';
}
