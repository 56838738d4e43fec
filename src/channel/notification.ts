/**
 * The kind of a notification.
 *
 * - `triggered`, `resolved`, `test`: one event each.
 * - `recovered`: the outage ended before its trigger was delivered, so one notification contains both.
 * - `digest`: several events for one destination in one notification.
 * - `flapping`: the state changes too often.
 * - `acknowledged`: someone acknowledged the open incident. Only for channels with `acknowledges`.
 * - `reminder`: the incident is still open. Never for pagers, which send their own reminders.
 * - `contact_failing`: another contact of the organization has accepted no message for days. Never for pagers, because
 * they would open an incident.
 * - `expiry`: a certificate expires soon. It has no event, and is never for pagers.
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

/**
 * The content of a notification, independent of providers. All times are ISO 8601 in UTC with milliseconds. IDs are in
 * their public form. Each kind has the parts that its text needs, and `notification-kinds.ts` describes it.
 */
export type Notification = NotificationParts & NotificationSubject;

/** The parts that belong to some kinds only. `kind` determines them. */
type NotificationSubject =
  | { kind: Exclude<NotificationKind, 'contact_failing' | 'expiry'> }
  | { kind: 'contact_failing'; contact: NotifiedContact; failing: FailingContact }
  | { kind: 'expiry'; certificate: EndingCertificate };

/** A contact, with its public ID. */
export interface NotifiedContact {
  id: string;
  name: string;
}

/** The channel type of a failing contact, the number of failed attempts since `startedAt`, and the last error. */
export interface FailingContact {
  type: string;
  attempts: number;
  error: string | null;
}

/** `subject` and `issuer` are `null` if no stored check contains them. `daysLeft` is a whole number. */
export interface EndingCertificate {
  subject: string | null;
  issuer: string | null;
  expiresAt: string;
  daysLeft: number;
}

interface NotificationParts {
  kind: NotificationKind;
  /**
   * The idempotency key: `ev_…` of the event, or of the newest event in a digest. Tests, reminders, failing contacts,
   * and expiring certificates have no event, so they use `dl_…` of the delivery.
   */
  id: string;
  /**
   * The ID `inc_…` of the incident that the event belongs to. Absent if there is no incident. Added when the
   * notification is sent.
   */
  incidentId?: string;
  /** The number of that incident, and which outage of the endpoint in it this is. Added when the notification is sent. */
  incidentNumber?: number;
  outage?: number;
  /** The IANA time zone of the organization. Absent for UTC. Added when the notification is sent. */
  timezone?: string;
  /**
   * The key for paging channels: alert ID and incident number, `al_…-7`. It is the same for a trigger and its resolve.
   */
  incidentKey: string;
  /** The ID `ev_…` of the trigger if this is its resolve. Used for email threads. */
  triggerId: string | null;
  /**
   * True if people read the channel and an earlier attempt may have arrived. In that case, the text contains a note.
   * Pagers and webhooks receive a key instead.
   */
  repeat: boolean;
  alert: { id: string; description: string };
  endpoint: { id: string; name: string; url: string; type: string };
  website: { id: string; name: string; url: string };
  /** The checks that count as failed for the alert: only `down`, or also `degraded`. */
  condition: 'down' | 'degraded';
  /**
   * For a trigger: true if the endpoint was up with a warning, which `error` contains. For a resolve: true if
   * `condition` is `degraded`.
   */
  isDegraded: boolean;
  reason: 'threshold' | 'disabled' | 'deleted' | null;
  error: { code: string; message: string } | null;
  failureCount: number;
  successCount: number;
  /** The time of the first failed check. */
  startedAt: string | null;
  /** The time when the transition was recorded. */
  createdAt: string;
  durationSeconds: number | null;
  /**
   * The results of the locations that count, in order, for an endpoint with several locations. Absent if there is only
   * one location.
   */
  locations?: NotifiedLocation[];
  /** For a trigger: how long the endpoint was up before, if no notification was sent for that recovery. */
  upSeconds?: number;
  /**
   * For `reminder`: its number within the incident, starting at 1. `durationSeconds` is how long the incident has
   * lasted.
   */
  ordinal?: number;
  /**
   * The contact of a contact test, or the failing contact of `contact_failing`. In these cases, there is no alert,
   * endpoint, or website, so their texts and IDs are empty.
   */
  contact?: NotifiedContact;
  /** The contact used for the first attempt, with its name at that time. Absent if the alert has its own config. */
  through?: NotifiedContact;
  /** For `contact_failing`. */
  failing?: FailingContact;
  /** For `expiry`. */
  certificate?: EndingCertificate;
  /** Links to the dashboard. Requires `PUBLIC_URL`. Added when the notification is sent. */
  links?: NotificationLinks;
  /** For `acknowledged`: who acknowledged the incident, and their note. */
  acknowledgement?: { by: string; note: string };
  /** The newest check, for the `data` of a webhook. */
  check: { checkedAt: string; durationMs: number | null; statusCode: number | null; address: string | null } | null;
  /** For a digest: the number of events, and the first 20 of them. */
  digest: {
    triggered: number;
    resolved: number;
    /** The number of failing contacts. Absent if there are none. */
    contacts?: number;
    /** The number of certificates that expire soon. Absent if there are none. */
    certificates?: number;
    /** The incident, if all events belong to the same one. */
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

/**
 * The last result from a location. `unknown` means that it hasn't responded for so long that the others decide without
 * it.
 */
export interface NotifiedLocation {
  /** `local`, `<key>` of a probe, or `shared/<key>`. */
  location: string;
  outcome: 'up' | 'down' | 'unknown';
  error: { code: string; message: string } | null;
}

/**
 * The incident of a message that combines deliveries for several of its endpoints, or that announces the end of the
 * incident.
 */
export interface FoldedIncident {
  /** The ID of the incident, `inc_…`. */
  id: string;
  number: number;
  /** True if the same destination was already notified about the incident. */
  isMore: boolean;
  /** True if all endpoints were already reported as down and still are. */
  isReminder: boolean;
  /** The IP address at which all endpoints failed, or `null` if they have no common address. */
  address: string | null;
  /** The numbers of endpoints that the message reports as down and as recovered. */
  down: number;
  up: number;
  /** The number of endpoints that were part of the incident at any time, and the number that are still down. */
  endpoints: number;
  open: number;
  /** The number of outages. Absent in messages from before outages were counted. More than one if it reopened. */
  outages?: number;
  /** The length of all its outages. `null` while the incident is open. */
  durationSeconds: number | null;
}

/** Absolute URLs. */
export interface NotificationLinks {
  /**
   * The page about the subject. This is the endpoint, or for a test the alert or contact. For messages about one
   * incident, it is the incident, and for any other digest the overview.
   */
  page: string;
  /** The page of the incident that the event belongs to. Absent if there is none. */
  incident?: string;
  /**
   * The link for acknowledging the incident. Set only in triggers, reminders, and digests of them, and only in channels
   * that people read.
   */
  acknowledge: string | null;
}
