import type { Notification, NotifiedLocation } from '../notification';
import { plural } from '../../platform/text/plural';
import { cut, oneLine } from '../../platform/text/text-limits';
import type { MessageKind } from './message-kind';
import {
  again,
  because,
  changesOf,
  durationText,
  lasting,
  recoveryText,
  stateOf,
  stillText,
  timeText,
} from './wording';

const openTone = ({ isDegraded }: Notification) => (isDegraded ? 'warning' : 'bad');

export const TRIGGERED: MessageKind = {
  about: 'episode',
  paging: 'trigger',
  countsAs: 'triggered',
  since: 'Since',
  tone: openTone,
  title: (notification, name) => `${name} is ${stateOf(notification)}`,
  sentence: (notification, name) =>
    `${name} is ${notification.upSeconds === undefined ? '' : 'still '}${stateOf(notification)}${again(notification.outage)}${because(notification)} (${plural(notification.failureCount, 'check')} in a row)${fromWhere(notification)}${interruption(notification)}`,
  inDigest: ({ error, failureCount, isDegraded }) =>
    error?.message ?? `${failureCount} ${isDegraded ? 'degraded' : 'failed'} checks in a row`,
};

export const REMINDER: MessageKind = {
  about: 'episode',
  paging: 'trigger',
  countsAs: 'triggered',
  since: 'Since',
  tone: openTone,
  title: (notification, name) => `${name} is still ${stateOf(notification)}`,
  sentence: (notification, name) => `${name} is ${stillText(notification)} (reminder ${notification.ordinal ?? 1})`,
  inDigest: stillText,
};

export const RESOLVED: MessageKind = {
  about: 'episode',
  paging: 'resolve',
  countsAs: 'resolved',
  tone: () => 'good',
  title: ({ isDegraded }, name) => `${name} is ${isDegraded ? 'no longer degraded' : 'back up'}`,
  sentence: resolvedSentence,
  inDigest: resolvedInDigest,
};

export const RECOVERED: MessageKind = {
  about: 'episode',
  paging: 'resolve',
  countsAs: 'resolved',
  tone: () => 'good',
  title: (_notification, name) => `${name} is back up`,
  sentence: (notification, name) =>
    `${name} was ${stateOf(notification)} ${span(notification)}${because(notification)}`,
  inDigest: (notification) => `was ${stateOf(notification)}${lasting('for', notification)}`,
};

export const FLAPPING: MessageKind = {
  about: 'episode',
  paging: 'trigger',
  countsAs: 'triggered',
  tone: () => 'neutral',
  title: (_notification, name) => `${name} is unstable`,
  sentence: (notification, name) =>
    `${name} keeps ${changesOf(notification)}; no more messages are sent until it is stable`,
  inDigest: (notification) => `keeps ${changesOf(notification)}`,
};

export const ACKNOWLEDGED: MessageKind = {
  about: 'episode',
  paging: 'acknowledge',
  countsAs: 'resolved',
  tone: () => 'neutral',
  title: (_notification, name) => `${name} was acknowledged`,
  sentence: acknowledgedSentence,
  inDigest: resolvedInDigest,
};

function resolvedInDigest(notification: Notification): string {
  const { reason } = notification;
  return reason === 'disabled' || reason === 'deleted' ? `the alert was ${reason}` : recoveryText(notification);
}

function resolvedSentence(notification: Notification, name: string): string {
  const after = lasting('after', notification);
  switch (notification.reason) {
    case 'disabled':
      return `The alert for ${name} was closed${after}: it was disabled`;
    case 'deleted':
      return `The alert for ${name} was closed${after}: it was deleted`;
    case 'threshold':
    case null:
      return `${name} is ${recoveryText(notification)}`;
    default:
      return notification.reason satisfies never;
  }
}

function acknowledgedSentence({ acknowledgement }: Notification, name: string): string {
  const by = oneLine(acknowledgement?.by ?? '') || 'Someone';
  const note = oneLine(acknowledgement?.note ?? '');
  return `${by} acknowledged ${name}${note && `: ${note}`}`;
}

function span(notification: Notification): string {
  const length = notification.durationSeconds === null ? '' : ` (${durationText(notification.durationSeconds)})`;
  if (notification.startedAt === null) return `until ${timeText(notification.createdAt)}${length}`;
  // The length ends with the first successful check, and the event is only recorded with a later one.
  const until =
    notification.durationSeconds === null
      ? notification.createdAt
      : new Date(Date.parse(notification.startedAt) + notification.durationSeconds * 1000).toISOString();
  const sameDay = notification.startedAt.slice(0, 10) === until.slice(0, 10);
  const from = timeText(notification.startedAt).replace(/ UTC$/, '');
  return `from ${from} to ${sameDay ? timeText(until).slice(11) : timeText(until)}${length}`;
}

/** The maximum number of characters for location names in a sentence. */
const MAX_LOCATIONS = 200;

/**
 * Returns text such as " from 2 of 3 locations: fra, office; no word from virginia". If the endpoint is degraded, the
 * warning already contains this information.
 */
function fromWhere({ locations, isDegraded }: Notification): string {
  if (!locations || isDegraded) return '';
  const named = (outcome: NotifiedLocation['outcome']): string[] =>
    locations.filter((one) => one.outcome === outcome).map(({ location }) => oneLine(location));
  const [down, lost] = [named('down'), named('unknown')];
  const from = ` from ${down.length} of ${plural(locations.length, 'location')}: ${cut(down.join(', '), MAX_LOCATIONS)}`;
  return lost.length === 0 ? from : `${from}; no result from ${cut(lost.join(', '), MAX_LOCATIONS)}`;
}

/** Returns what to add to a trigger if no notification was sent for the recovery just before it. */
const interruption = ({ upSeconds }: Notification): string =>
  upSeconds === undefined ? '' : `; it was up for ${durationText(upSeconds)}`;
