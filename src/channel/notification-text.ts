import type { Notification, NotifiedLocation } from './notification';
import type { NotificationFact, NotificationTone } from './kind/message-kind';
import { MESSAGE_KINDS } from './kind/message-kinds';
import { digestLines } from './kind/digest';
import { targetText, timeText } from './kind/wording';
import { cut, oneLine, someLines } from '../platform/text/text-limits';

const MAX_NAME_IN_SENTENCE = 100;

/** A link in a notification, with an absolute URL and a label. */
export interface NotificationLink {
  label: string;
  url: string;
}

/**
 * A notification as text, for every channel that people read. It is plain text that each channel escapes for its own
 * markup.
 */
export class NotificationText {
  constructor(
    readonly tone: NotificationTone,
    /**
     * One sentence about what happened, on one line, without a period. It starts with "Repeat: " if it may have arrived
     * before.
     */
    readonly sentence: string,
    /** Additional facts, in reading order. */
    readonly facts: readonly NotificationFact[],
    /** The items of a digest, one line each. */
    readonly lines: readonly string[],
    /** The checked target. For an http(s) URL, it excludes the user name, password, and query string. */
    readonly target: string,
    /** The links for the reader, most important first. Empty if `PUBLIC_URL` isn't set. */
    readonly links: readonly NotificationLink[],
  ) {}

  /** Returns lines and facts as plain text without the links, one per line. */
  get details(): string {
    return [...this.lines, ...this.facts.map(({ label, value }) => `${label}: ${value}`)].join('\n');
  }

  /** Returns the links as plain text, one per line. Empty if there are none. */
  get linkLines(): string {
    return this.links.map(({ label, url }) => `${label}: ${url}`).join('\n');
  }

  /** Returns the details followed by the links, in at most `max` characters. Links are never truncated. */
  detailsWithin(max: number): string {
    return aboveLinks(this.details, this.linkLines, max);
  }

  /** Returns the sentence followed by details and links, in at most `max` characters. Links are never truncated. */
  plain(max: number): string {
    return aboveLinks(`${this.sentence}\n${this.details}`, this.linkLines, max);
  }

  /** Returns a copy in which the sentence and each fact's value are truncated to these lengths. */
  shortened(max: { sentence: number; value: number }): NotificationText {
    const facts = this.facts.map(({ label, value }) => ({ label, value: cut(value, max.value) }));
    return new NotificationText(
      this.tone,
      cut(this.sentence, max.sentence),
      facts,
      this.lines,
      this.target,
      this.links,
    );
  }
}

function aboveLinks(text: string, links: string, max: number): string {
  if (links === '') return cut(text, max);
  return `${cut(text.trimEnd(), max - links.length - 1)}\n${links}`.trimStart();
}

/**
 * Converts a notification to text. Names and messages are untrusted, so control characters and line breaks are removed.
 */
export function notificationText(notification: Notification): NotificationText {
  const isDigest = notification.kind === 'digest';
  const sentence = eventSentence(notification);
  return new NotificationText(
    MESSAGE_KINDS[notification.kind].tone(notification),
    notification.repeat ? `Repeat: ${sentence}` : sentence,
    isDigest ? repeatFact(notification) : factsOf(notification),
    isDigest ? digestLines(notification.digest) : [],
    targetText(notification.endpoint.url),
    linksOf(notification),
  );
}

function linksOf({ links }: Notification): NotificationLink[] {
  if (!links) return [];
  const page = { label: 'Details', url: links.page };
  return links.acknowledge === null ? [page] : [{ label: 'Acknowledge', url: links.acknowledge }, page];
}

/** Returns one sentence about what happened. It is the same for every attempt to send the notification. */
export const eventSentence = (notification: Notification): string =>
  MESSAGE_KINDS[notification.kind].sentence(notification, nameOf(notification));

function factsOf(notification: Notification): NotificationFact[] {
  const facts = [
    { label: 'Website', value: oneLine(notification.website.name) },
    { label: 'Endpoint', value: endpointText(notification) },
    { label: 'Target', value: targetText(notification.endpoint.url) },
    ...(MESSAGE_KINDS[notification.kind].facts?.(notification) ?? []),
    {
      label: notification.isDegraded ? 'Warning' : 'Error',
      value: notification.error ? oneLine(notification.error.code) : '',
    },
    { label: 'Locations', value: (notification.locations ?? []).map(locationText).join(', ') },
    {
      label: sinceLabel(notification),
      value: notification.startedAt ? timeText(notification.startedAt) : '',
    },
    { label: 'Reported', value: timeText(notification.createdAt) },
    { label: 'Incident', value: incidentText(notification) },
    { label: 'Description', value: someLines(notification.alert.description, 20) },
  ];
  return [...facts.filter(({ value }) => value !== ''), ...repeatFact(notification)];
}

/** Returns text such as "#4, outage 2 of this endpoint". Empty if the notification doesn't belong to an incident. */
function incidentText({ incidentNumber, outage = 1 }: Notification): string {
  if (incidentNumber === undefined) return '';
  return outage > 1 ? `#${incidentNumber}, outage ${outage} of this endpoint` : `#${incidentNumber}`;
}

/** Returns the first line of a push notification. A message that may have arrived before starts with "Repeat: ". */
export const eventTitle = (notification: Notification): string =>
  (notification.repeat ? 'Repeat: ' : '') + MESSAGE_KINDS[notification.kind].title(notification, nameOf(notification));

const sinceLabel = ({ kind, isDegraded }: Notification): string =>
  MESSAGE_KINDS[kind].since ?? `${isDegraded ? 'Degraded' : 'Down'} since`;

/** Empty if the notification isn't about an endpoint. */
const endpointText = ({ endpoint, contact }: Notification): string =>
  contact ? '' : `${oneLine(endpoint.name)} (${oneLine(endpoint.type)})`;

const repeatFact = (notification: Notification): NotificationFact[] =>
  notification.repeat ? [{ label: 'Note', value: 'an earlier attempt to send this message may have succeeded' }] : [];

/** Returns text such as "fra down (connection_refused)". */
function locationText({ location, outcome, error }: NotifiedLocation): string {
  const state = outcome === 'unknown' ? 'silent' : outcome === 'up' && error ? 'degraded' : outcome;
  return `${oneLine(location)} ${state}${error && outcome !== 'unknown' ? ` (${oneLine(error.code)})` : ''}`;
}

/** Truncates the name, so that it can't displace the rest of the sentence. The facts contain the full name. */
const nameOf = ({ endpoint, contact }: Notification): string => {
  const name = contact ? `contact ${oneLine(contact.name)}` : oneLine(endpoint.name) || oneLine(endpoint.id);
  return cut(name, MAX_NAME_IN_SENTENCE);
};
