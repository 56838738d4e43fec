import type { ResponseMode, SeenRequest } from '../harness/servers/switchable-server';

/** Milliseconds since the epoch. */
export interface Span {
  from: number;
  to: number;
}

/** The responses of a target or provider from a moment on. */
export interface ModeChange {
  from: number;
  mode: ResponseMode;
}

/**
 * A row of the outbox. There is one per event, because every alert here sends its resolves, plus reminders, and for
 * the pager acknowledgements.
 */
export interface Delivery {
  id: string;
  /** When its event happened, or when it was due. */
  at: number;
  alert: string;
  endpoint: string;
  kind: string;
  episodeNo: number;
  state: string;
  detail: string | null;
  /** The reason of a resolve: why its episode ended. */
  reason: string | null;
  /** The number of a reminder. */
  ordinal: number | null;
  /** The name of its contact, or `null` for the alert's own config. */
  contact: string | null;
  incidentKey: string;
}

/** A request that a provider received. */
export interface ReceivedNotification extends Pick<SeenRequest, 'at' | 'mode' | 'body'> {
  /** Its webhook-id. */
  id: string;
  channel: number;
  /** The credential in the request. */
  rotation: number;
}

/** The route of an alert with an open episode when everything has settled. */
export interface PresentRoute {
  channel: number;
  rotation: number;
  /** When the last write that may have changed it was over. */
  since: number;
}

/** When an endpoint was certainly acknowledged during one episode that stayed open. */
export interface QuietSpan extends Span {
  endpoint: string;
}

/** An episode with one more reminder that was made due and must arrive. */
export interface AwaitedReminder {
  alert: string;
  endpoint: string;
  episodeNo: number;
  reminders: number;
  at: number;
}

/** When a probe may have been disabled. */
export interface DisabledSpan extends Span {
  probe: number;
}

export interface Page extends Pick<SeenRequest, 'at' | 'mode'> {
  /** Its dedup key. */
  key: string;
  action: 'trigger' | 'acknowledge' | 'resolve';
}

export interface StoredCheck {
  endpoint: string;
  /** The number of the probe, or 0 for the service. */
  location: number;
  at: number;
  /** The result at this location. */
  outcome: 'up' | 'down' | 'unknown';
}

/** The number of requests that a target received over a span. */
export interface RequestCount extends Span {
  intervalMs: number;
  requests: number;
  /** The number of requests that did not get `ok`. */
  failed: number;
}

/** An exit of an instance. `graceful` means by SIGTERM. */
export interface InstanceExit {
  at: number;
  graceful: boolean;
}

/** Everything that happened in a run, up to a moment when no delivery was pending. */
export interface History {
  /** Deliveries to webhooks, in outbox order. */
  deliveries: readonly Delivery[];
  /** Deliveries to the pager, in outbox order. */
  pagerDeliveries: readonly Delivery[];
  /** In order of arrival. */
  pages: readonly Page[];
  triggeredPagers: ReadonlySet<string>;
  /** In order of arrival. */
  received: readonly ReceivedNotification[];
  checks: readonly StoredCheck[];
  /** By endpoint. Before the first change, its target responds with `ok`. */
  modeChanges: ReadonlyMap<string, readonly ModeChange[]>;
  /** Alerts that a write deleted or disabled, or may have. */
  stopped: ReadonlySet<string>;
  /** The routes of all alerts that are shown as triggered, if nothing has happened since. */
  present: ReadonlyMap<string, PresentRoute>;
  /** By alert or contact: writes that may have ended episodes. */
  endings: ReadonlyMap<string, readonly Span[]>;
  quiet: readonly QuietSpan[];
  /** When an incident may have been acknowledged. Any endpoint may have been in it. */
  incidentsInHand: readonly Span[];
  dues: readonly Span[];
  awaited: readonly AwaitedReminder[];
  /** Endpoints that no command edits. */
  steady: ReadonlyMap<string, RequestCount>;
  /** The number of locations of these endpoints, for those with several. The majority decides. */
  placed: ReadonlyMap<string, number>;
  disabled: readonly DisabledSpan[];
  /** How often a probe or its line was disturbed. */
  probeFaults: number;
  exits: readonly InstanceExit[];
  /** When instances could write no result, because the database was unavailable or they were frozen. */
  downtimes: readonly Span[];
  /** When this test process stalled, so that its targets responded late. */
  ownStalls: readonly Span[];
}

/** Returns whether the provider accepted the request. */
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

/** Names one delivery in a finding. */
export const nameOf = ({ alert, kind, episodeNo, id }: Delivery): string => `${kind} ${episodeNo} of ${alert} (${id})`;

/** Returns whether the spans have a moment in common. */
export const overlap = (a: Span, b: Span): boolean => a.from <= b.to && b.from <= a.to;
