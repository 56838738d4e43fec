import type { ResponseMode, SeenRequest } from '../harness/servers/switchable-server';

/** Milliseconds since the epoch. */
export interface Span {
  from: number;
  to: number;
}

/** How a target or provider responds from a moment on. */
export interface ModeChange {
  from: number;
  mode: ResponseMode;
}

/** A row of the outbox: one per event, because every alert here sends its resolves; reminders; for the pager acknowledgements. */
export interface Delivery {
  id: string;
  /** When its event happened, or it fell due. */
  at: number;
  alert: string;
  endpoint: string;
  kind: string;
  incidentNo: number;
  state: string;
  detail: string | null;
  /** Why its episode ended; of a resolve. */
  reason: string | null;
  /** Of a reminder. */
  ordinal: number | null;
  /** Name of the contact that it goes through; `null` for the alert's own config. */
  contact: string | null;
  incidentKey: string;
}

/** A request that a provider received. */
export interface ReceivedNotification extends Pick<SeenRequest, 'at' | 'mode' | 'body'> {
  /** Its webhook-id. */
  id: string;
  channel: number;
  /** The credential that it came with. */
  rotation: number;
}

/** Where an alert with an open episode notifies when all has settled. */
export interface PresentRoute {
  channel: number;
  rotation: number;
  /** The last write that may have changed it was over. */
  since: number;
}

/** When an endpoint was certainly acknowledged, as far as one episode is concerned that is open all the time. */
export interface QuietSpan extends Span {
  endpoint: string;
}

/** An episode of which one reminder more was made due, and nothing stood in its way. */
export interface AwaitedReminder {
  alert: string;
  endpoint: string;
  incidentNo: number;
  /** How many it had. */
  reminders: number;
  at: number;
}

/** When a probe may have been disabled. */
export interface DisabledSpan extends Span {
  probe: number;
}

/** A request that the pager received. */
export interface Page extends Pick<SeenRequest, 'at' | 'mode'> {
  /** Its dedup key. */
  key: string;
  action: 'trigger' | 'acknowledge' | 'resolve';
}

export interface StoredCheck {
  endpoint: string;
  /** Number of the probe, 0 for the service itself. */
  location: number;
  at: number;
  /** What this location saw. */
  outcome: 'up' | 'down' | 'unknown';
}

/** How many requests a target received over a span. */
export interface RequestCount extends Span {
  intervalMs: number;
  requests: number;
  /** Of these, those that it did not answer with `ok`. */
  failed: number;
}

/** An instance that ended. `graceful`: by SIGTERM. */
export interface InstanceExit {
  at: number;
  graceful: boolean;
}

/** Everything that happened in a run, up to a moment when no delivery was pending. */
export interface History {
  /** To webhooks, in outbox order. */
  deliveries: readonly Delivery[];
  /** To the pager, in outbox order. */
  pagerDeliveries: readonly Delivery[];
  /** In order of arrival. */
  pages: readonly Page[];
  /** Alerts to the pager that show as triggered. */
  triggeredPagers: ReadonlySet<string>;
  /** In order of arrival. */
  received: readonly ReceivedNotification[];
  checks: readonly StoredCheck[];
  /** By endpoint; until the first one its target responds with `ok`. */
  modeChanges: ReadonlyMap<string, readonly ModeChange[]>;
  /** Alerts that a write deleted or disabled, or may have. */
  stopped: ReadonlySet<string>;
  /** Of every alert that shows as triggered, if nothing has happened since. */
  present: ReadonlyMap<string, PresentRoute>;
  /** By alert or contact: writes that may have ended episodes. */
  endings: ReadonlyMap<string, readonly Span[]>;
  quiet: readonly QuietSpan[];
  /** When somebody may have had an incident in hand: any endpoint may have been in it. */
  incidentsInHand: readonly Span[];
  /** When reminders were made due, of all alerts at once. */
  dues: readonly Span[];
  awaited: readonly AwaitedReminder[];
  /** Endpoints that no command edits. */
  steady: ReadonlyMap<string, RequestCount>;
  /** Of these, how many locations those have that have several; the majority decides. */
  placed: ReadonlyMap<string, number>;
  disabled: readonly DisabledSpan[];
  /** Times that a probe or its line was disturbed. */
  probeFaults: number;
  exits: readonly InstanceExit[];
  /** When instances could write no outcome: the database was unavailable, or they were frozen. */
  downtimes: readonly Span[];
  /** When this test process itself stalled, so that its targets responded late. */
  ownStalls: readonly Span[];
}

/** The provider took it. */
export const isAccepted = ({ mode }: ReceivedNotification): boolean => mode === 'ok';

/** In order of arrival. */
export function byId(received: readonly ReceivedNotification[]): Map<string, ReceivedNotification[]> {
  const groups = new Map<string, ReceivedNotification[]>();
  for (const each of received) {
    const group = groups.get(each.id);
    if (group) group.push(each);
    else groups.set(each.id, [each]);
  }
  return groups;
}

/** One delivery in a finding. */
export const nameOf = ({ alert, kind, incidentNo, id }: Delivery): string =>
  `${kind} ${incidentNo} of ${alert} (${id})`;

/** Both have a moment in common. */
export const overlap = (a: Span, b: Span): boolean => a.from <= b.to && b.from <= a.to;
