/**
 * `triggered`, `resolved`, `test`: one event each. `recovered`: the outage ended before its trigger was delivered, both in
 * one notification. `digest`: several events of one destination in one notification. `flapping`: the state changes too often.
 * `acknowledged`: somebody has the open incident in hand; only for channels that say so of themselves (`acknowledges`).
 * `reminder`: the incident is still open; never for pagers, which remind by themselves.
 * `contact_failing`: another contact of the organization has taken no message for days; never for pagers, which would open an
 * incident for it.
 * `expiry`: a certificate ends soon; no event, never for pagers.
 */
export type NotificationKind =
  | 'triggered'
  | 'resolved'
  | 'test'
  | 'recovered'
  | 'digest'
  | 'flapping'
  | 'acknowledged'
  | 'reminder'
  | 'contact_failing'
  | 'expiry';

/** What is to be said, free of any vendor. All times ISO 8601 UTC with milliseconds. Ids in their public form. */
export interface Notification {
  kind: NotificationKind;
  /**
   * The idempotency key: `ev_…` of the event (of the newest one in a digest); `dl_…` of the delivery where no event is told, in
   * a test, a reminder, of a contact that fails or a certificate that ends.
   */
  id: string;
  /** `inc_…` of the incident that its event is of; absent without one. Added when it is sent. */
  incidentId?: string;
  /** Alert id and incident number, `al_…-7`: the same for the trigger and its resolve. Key of paging channels. */
  incidentKey: string;
  /** `ev_…` of the trigger when this is its resolve; mail threads by it. */
  triggerId: string | null;
  /** True when an earlier attempt may have arrived and people read it: they are told so in the text. Pagers and webhooks have a key. */
  repeat: boolean;
  alert: { id: string; description: string };
  endpoint: { id: string; name: string; url: string; type: string };
  website: { id: string; name: string; url: string };
  /** Which checks are bad for the alert: those that are down, or also those that are up with a warning. */
  condition: 'down' | 'degraded';
  /** Of a trigger: the endpoint was up with a warning, which `error` tells. Of a resolve: the same as `condition`. */
  isDegraded: boolean;
  reason: 'threshold' | 'disabled' | 'deleted' | null;
  error: { code: string; message: string } | null;
  failureCount: number;
  successCount: number;
  /** When the first bad check ran. */
  startedAt: string | null;
  /** When the transition was recorded. */
  createdAt: string;
  durationSeconds: number | null;
  /** Of an endpoint with several locations, in their order: what those saw that have a say. Absent with one. */
  locations?: NotifiedLocation[];
  /** Of a trigger: how long the endpoint was up just before, when that recovery was not notified. */
  upSeconds?: number;
  /** Of `reminder`: which one of the incident, from 1; `durationSeconds` is how long it has lasted. */
  ordinal?: number;
  /**
   * Of the test of a contact, and the one that `contact_failing` is about. There is no alert, endpoint and website then: their
   * texts are empty, and so are their ids.
   */
  contact?: { id: string; name: string };
  /** The contact that the first attempt went through, named as it was then; absent for an alert's own config. */
  through?: { id: string; name: string };
  /** Of `contact_failing`: its channel type, failed attempts since `startedAt`, and what went wrong at the last one. */
  failing?: { type: string; attempts: number; error: string | null };
  /** Of `expiry`. `subject` and `issuer` are `null` when no check with them is kept any more. `daysLeft`: whole days. */
  certificate?: { subject: string | null; issuer: string | null; expiresAt: string; daysLeft: number };
  /** Where to look and act; only with `PUBLIC_URL`. Added when the notification is sent. */
  links?: NotificationLinks;
  /** Of `acknowledged`: who has it in hand, and what they said. */
  acknowledgement?: { by: string; note: string };
  /** The newest check, for the `data` of a webhook. */
  check: { checkedAt: string; durationMs: number | null; statusCode: number | null; address: string | null } | null;
  /** Digest: how many events it covers, and the first 20 of them. */
  digest: {
    triggered: number;
    resolved: number;
    /** Contacts that fail; absent without any. */
    contacts?: number;
    /** Certificates that end soon; absent without any. */
    certificates?: number;
    /** Of a fold: the incident that all of it is of. */
    incident?: FoldedIncident;
    members: {
      kind: 'triggered' | 'resolved' | 'contact' | 'certificate';
      isDegraded: boolean;
      endpoint: string;
      website: string;
      message: string;
    }[];
  } | null;
}

/** What a location saw last; `unknown`: it has been silent for so long that the others decide without it. */
export interface NotifiedLocation {
  /** `local`, `<key>` of a probe or `shared/<key>`. */
  location: string;
  outcome: 'up' | 'down' | 'unknown';
  error: { code: string; message: string } | null;
}

/** What one message tells of an incident: deliveries of several of its endpoints, or the end of it. */
export interface FoldedIncident {
  /** `inc_…`. */
  id: string;
  number: number;
  /** Something of it was told to the same destination before. */
  isMore: boolean;
  /** Only of endpoints that were told to be down before, and still are. */
  isReminder: boolean;
  /** The address that all of them failed at; `null` where it is not what they share. */
  address: string | null;
  /** Endpoints that the message tells to be down, and up again. */
  down: number;
  up: number;
  /** Endpoints that were ever in it, and that are down still. */
  endpoints: number;
  open: number;
  /** From its beginning to its end; `null` while it is open. */
  durationSeconds: number | null;
}

/** Absolute URLs. */
export interface NotificationLinks {
  /** The page of what it is about: the endpoint's, of a test the alert's or the contact's, of a fold the incident's, of another digest the overview. */
  page: string;
  /** Where a person takes the incident in hand; in triggers, reminders and folds of them, for people only. */
  acknowledge: string | null;
}
