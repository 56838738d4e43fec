import type { Notification } from '../../channel/channel';
import { notificationText } from '../../channel/notification-text';
import { cut, oneLine } from '../../channel/text-limits';
import { formatId } from '../../platform/ids/id';
import type { AlertSnapshot } from './alert-snapshot';
import type { Transition } from './alert-transition';

/** Why an alert changed: its thresholds, or somebody who switched off or deleted it, its endpoint or its website. */
export const EVENT_REASONS = ['threshold', 'disabled', 'deleted'] as const;
export type EventReason = (typeof EVENT_REASONS)[number];

/** A transition that was decided, with what is known about its cause. */
export interface DecidedTransition {
  transition: Transition;
  reason: EventReason;
  /** Streaks right after the deciding check, or when the alert was stopped. */
  failureCount: number;
  successCount: number;
  /** When the deciding check ran, or the alert was stopped. */
  at: Date;
  /** A trigger's first failing check; ignored for a resolve, which ends the incident that is running. */
  failingSince: Date | null;
  error: { code: string; message: string } | null;
  check: Notification['check'];
}

/** The incident a transition opens or closes. */
export interface Incident {
  no: number;
  startedAt: Date | null;
  /** uuid of the event that opened it. */
  triggerEventId: string | null;
}

/** A row of `alert_event`; keys are its columns. Never changed once written. */
export interface AlertEventRow {
  id: string;
  org_id: string;
  type: 'triggered' | 'resolved';
  alert_id: string;
  alert_type: string;
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
}

/** The incident after a transition: a trigger opens the next one, a resolve closes the one that runs. */
export function incidentAfter(before: Incident, decided: DecidedTransition, eventId: string): Incident {
  if (decided.transition === 'resolve') return before;
  return { no: before.no + 1, startedAt: decided.failingSince ?? decided.at, triggerEventId: eventId };
}

/** What is told about a transition, free of any vendor. `now` is when it is recorded. */
export function notificationOf(
  subject: AlertSnapshot,
  decided: DecidedTransition,
  incident: Incident,
  eventId: string,
  now: Date,
): Notification {
  const resolves = decided.transition === 'resolve';
  const opener = resolves ? incident.triggerEventId : null;
  return {
    kind: resolves ? 'resolved' : 'triggered',
    id: formatId('event', eventId),
    incidentKey: `${formatId('alert', subject.id)}-${incident.no}`,
    triggerId: opener === null ? null : formatId('event', opener),
    repeat: false,
    alert: { id: formatId('alert', subject.id), description: subject.description },
    endpoint: {
      id: formatId('endpoint', subject.endpointId),
      name: subject.endpointName,
      url: subject.endpointUrl,
      type: subject.endpointType,
    },
    website: { id: formatId('website', subject.websiteId), name: subject.websiteName, url: subject.websiteUrl },
    reason: decided.reason,
    error: decided.error && { code: decided.error.code, message: cut(oneLine(decided.error.message), 300) },
    failureCount: decided.failureCount,
    successCount: decided.successCount,
    startedAt: incident.startedAt?.toISOString() ?? null,
    createdAt: now.toISOString(),
    durationSeconds: resolves && incident.startedAt ? secondsBetween(incident.startedAt, decided.at) : null,
    check: decided.check,
    digest: null,
  };
}

/** The stored event that says the same as the notice. */
export function eventRowOf(
  subject: AlertSnapshot,
  decided: DecidedTransition,
  incident: Incident,
  eventId: string,
  notice: Notification,
): AlertEventRow {
  return {
    id: eventId,
    org_id: subject.orgId,
    type: decided.transition === 'resolve' ? 'resolved' : 'triggered',
    alert_id: subject.id,
    alert_type: subject.type,
    incident_no: incident.no,
    endpoint_id: subject.endpointId,
    endpoint_name: subject.endpointName,
    website_id: subject.websiteId,
    website_name: subject.websiteName,
    reason: decided.reason,
    message: cut(notificationText(notice).sentence, 1000),
    error_code: notice.error?.code ?? null,
    error_message: notice.error?.message ?? null,
    failure_count: decided.failureCount,
    success_count: decided.successCount,
    started_at: incident.startedAt,
    duration_seconds: notice.durationSeconds,
    created_at: new Date(notice.createdAt),
  };
}

const secondsBetween = (from: Date, to: Date): number =>
  Math.max(0, Math.round((to.getTime() - from.getTime()) / 1000));
