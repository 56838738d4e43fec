import type { Notification, NotifiedLocation } from '../../channel/notification';
import { notificationText } from '../../channel/notification-text';
import type { LocationSeen } from '../../endpoint/streak-update';
import { cut, oneLine } from '../../platform/text/text-limits';
import { formatId } from '../../platform/ids/id';
import type { AlertSnapshot } from './alert-snapshot';
import { subjectOf } from './alert-subject';
import type { AlertCondition } from '../../alert-rule/alert-rule';
import type { Transition } from './alert-transition';

/**
 * Why an alert changed: its thresholds were reached, or a client disabled or deleted the alert, its endpoint, or its
 * website.
 */
export const EVENT_REASONS = ['threshold', 'disabled', 'deleted'] as const;
export type EventReason = (typeof EVENT_REASONS)[number];

/** A trigger or resolve that was decided, with its known cause. */
export interface DecidedTransition {
  transition: Transition;
  reason: EventReason;
  /** The streaks right after the deciding check, or when the alert was stopped. */
  failureCount: number;
  successCount: number;
  /** When the deciding check ran, or when the alert was stopped. */
  at: Date;
  /**
   * For a trigger, the time of the first check that was bad and not muted. A resolve ignores it, because it ends the
   * open episode.
   */
  failingSince: Date | null;
  /**
   * For a resolve that waited for its threshold, the time of the first check that was good. If it is `null`, the
   * episode ends at `at`.
   */
  endedAt: Date | null;
  /** Whether a trigger's check was up with a warning, which is in `error`. */
  isDegraded: boolean;
  error: { code: string; message: string } | null;
  check: Notification['check'];
  /** Each location's result, if there are several locations. */
  locations?: readonly LocationSeen[] | undefined;
}

/** The error for a location that has been silent for so long that the others decide without it. */
const SILENT: NotifiedLocation['error'] = {
  code: 'monitor_offline',
  message: 'No result has been received from this location.',
};

/** Returns the locations' results, by name. Deleted probes have no name and are left out. */
export const namedLocations = (seen: readonly LocationSeen[], names: ReadonlyMap<number, string>): NotifiedLocation[] =>
  seen.flatMap(({ number, outcome, isLost, error }) => {
    const location = names.get(number);
    if (location === undefined) return [];
    if (isLost) return { location, outcome: 'unknown', error: SILENT };
    return { location, outcome, error: error && { code: error.code, message: cut(oneLine(error.message), 300) } };
  });

/** The episode that a trigger opens or a resolve closes. */
export interface Episode {
  no: number;
  startedAt: Date | null;
  /** UUID of the event that opened the episode. */
  triggerEventId: string | null;
}

/** A row of `alert_event`. Its keys are the column names. It never changes once written. */
export interface AlertEventRow {
  id: string;
  org_id: string;
  type: 'triggered' | 'resolved';
  alert_id: string;
  alert_type: string;
  condition: AlertCondition;
  incident_no: number;
  endpoint_id: string;
  endpoint_name: string;
  website_id: string;
  website_name: string;
  reason: EventReason;
  message: string;
  error_code: string | null;
  error_message: string | null;
  failure_count: number;
  success_count: number;
  started_at: Date | null;
  duration_seconds: number | null;
  created_at: Date;
  /** The incident that the endpoint is in when the event is written. */
  incident_id: string | null;
  locations: NotifiedLocation[] | null;
}

/** Returns the episode after a change. A trigger opens the next episode, and a resolve closes the open one. */
export function episodeAfter(before: Episode, decided: DecidedTransition, eventId: string): Episode {
  if (decided.transition === 'resolve') return before;
  return { no: before.no + 1, startedAt: decided.failingSince ?? decided.at, triggerEventId: eventId };
}

/** Returns the notification for a trigger or resolve, independent of any vendor. `now` is when it is recorded. */
export function notificationOf(
  alert: AlertSnapshot,
  decided: DecidedTransition,
  episode: Episode,
  eventId: string,
  now: Date,
  names: ReadonlyMap<number, string>,
): Notification {
  const resolves = decided.transition === 'resolve';
  const opener = resolves ? episode.triggerEventId : null;
  return {
    ...aboutAlert(alert, episode, eventId, now),
    kind: resolves ? 'resolved' : 'triggered',
    triggerId: opener === null ? null : formatId('event', opener),
    isDegraded: resolves ? alert.condition === 'degraded' : decided.isDegraded,
    reason: decided.reason,
    error: decided.error && { code: decided.error.code, message: cut(oneLine(decided.error.message), 300) },
    failureCount: decided.failureCount,
    successCount: decided.successCount,
    durationSeconds: resolves && episode.startedAt ? secondsBetween(episode.startedAt, endOf(decided, episode)) : null,
    check: decided.check,
    ...(decided.locations && { locations: namedLocations(decided.locations, names) }),
  };
}

/** Returns the notification that an open episode was acknowledged, with the episode's key and its trigger event. */
export const acknowledgedNotification = (
  alert: AlertSnapshot,
  triggerEventId: string,
  acknowledgement: { by: string; note: string },
  now: Date,
): Notification => ({
  ...aboutAlert(alert, { no: alert.episodeNo, startedAt: alert.episodeStartedAt, triggerEventId }, triggerEventId, now),
  kind: 'acknowledged',
  triggerId: formatId('event', triggerEventId),
  isDegraded: alert.condition === 'degraded',
  reason: null,
  error: null,
  failureCount: 0,
  successCount: 0,
  durationSeconds: null,
  acknowledgement,
  check: null,
});

/** The content of a reminder for the open episode, in addition to the alert. */
export interface Reminder {
  /** UUID of its delivery. It has its own ID, because receivers would otherwise treat it as a repeated trigger. */
  id: string;
  /** UUID of the trigger event. */
  of: string;
  ordinal: number;
  isUp: boolean;
  failureCount: number;
  /** The trigger's error. */
  error: Notification['error'];
  check: Notification['check'];
}

/** Returns the reminder that an episode is still open, with the episode's key. */
export const reminderNotification = (alert: AlertSnapshot, reminder: Reminder, now: Date): Notification => ({
  ...aboutAlert(
    alert,
    { no: alert.episodeNo, startedAt: alert.episodeStartedAt, triggerEventId: reminder.of },
    reminder.of,
    now,
  ),
  id: formatId('delivery', reminder.id),
  kind: 'reminder',
  triggerId: formatId('event', reminder.of),
  isDegraded: alert.condition === 'degraded' && reminder.isUp,
  reason: null,
  error: reminder.error,
  failureCount: reminder.failureCount,
  successCount: 0,
  durationSeconds: alert.episodeStartedAt && secondsBetween(alert.episodeStartedAt, now),
  ordinal: reminder.ordinal,
  check: reminder.check,
});

type AboutAlert = Pick<
  Notification,
  | 'id'
  | 'incidentKey'
  | 'repeat'
  | 'alert'
  | 'endpoint'
  | 'website'
  | 'condition'
  | 'startedAt'
  | 'createdAt'
  | 'digest'
>;

/** Returns the fields that all notifications of an episode have in common. */
const aboutAlert = (alert: AlertSnapshot, episode: Episode, eventId: string, now: Date): AboutAlert => ({
  id: formatId('event', eventId),
  incidentKey: `${formatId('alert', alert.id)}-${episode.no}`,
  repeat: false,
  ...subjectOf(alert),
  startedAt: episode.startedAt?.toISOString() ?? null,
  createdAt: now.toISOString(),
  digest: null,
});

/** Returns the event row with the notification's content. */
export function eventRowOf(
  alert: AlertSnapshot,
  decided: DecidedTransition,
  episode: Episode,
  eventId: string,
  notification: Notification,
): AlertEventRow {
  return {
    id: eventId,
    org_id: alert.orgId,
    type: decided.transition === 'resolve' ? 'resolved' : 'triggered',
    alert_id: alert.id,
    alert_type: alert.type,
    condition: alert.condition,
    incident_no: episode.no,
    endpoint_id: alert.endpointId,
    endpoint_name: alert.endpointName,
    website_id: alert.websiteId,
    website_name: alert.websiteName,
    reason: decided.reason,
    message: cut(notificationText(notification).sentence, 1000),
    error_code: notification.error?.code ?? null,
    error_message: notification.error?.message ?? null,
    failure_count: decided.failureCount,
    success_count: decided.successCount,
    started_at: episode.startedAt,
    duration_seconds: notification.durationSeconds,
    created_at: new Date(notification.createdAt),
    incident_id: null,
    locations: notification.locations ?? null,
  };
}

/**
 * An instance running an older version doesn't store when a recovery starts, so the stored time may be before the
 * episode.
 */
const endOf = ({ endedAt, at }: DecidedTransition, { startedAt }: Episode): Date =>
  endedAt !== null && startedAt !== null && endedAt > startedAt ? endedAt : at;

const secondsBetween = (from: Date, to: Date): number =>
  Math.max(0, Math.round((to.getTime() - from.getTime()) / 1000));
