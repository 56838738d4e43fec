import type { FoldedIncident, Notification, NotifiedLocation } from './notification';
import { cut, oneLine, someLines } from '../platform/text/text-limits';
import { plural } from '../platform/text/plural';
import { endsIn } from '../platform/text/ends-in';

const MAX_NAME_IN_SENTENCE = 100;

/** The tone of a notification: an outage, a warning, the end of either, or neutral. */
export type NotificationTone = 'bad' | 'warning' | 'good' | 'neutral';

/** A fact in a notification, such as "Error: connection_refused". */
export interface NotificationFact {
  label: string;
  value: string;
}

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
    toneOf(notification),
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

/** Returns a duration with at most two units: `45 s`, `12 min 3 s`, `3 h 4 min`, `2 d 3 h`. */
export function durationText(seconds: number): string {
  const whole = Math.max(0, Math.round(seconds));
  const units = [
    { size: 86_400, name: 'd' },
    { size: 3600, name: 'h' },
    { size: 60, name: 'min' },
    { size: 1, name: 's' },
  ];
  const first = units.findIndex(({ size }) => whole >= size);
  if (first === -1) return '0 s';
  let rest = whole;
  const parts = units.slice(first, first + 2).map(({ size, name }) => {
    const count = Math.floor(rest / size);
    rest -= count * size;
    return { count, name };
  });
  return parts
    .filter(({ count }) => count > 0)
    .map(({ count, name }) => `${count} ${name}`)
    .join(' ');
}

/** Formats an ISO timestamp as `2026-11-20 12:01:33 UTC`. */
export const timeText = (iso: string): string => `${iso.slice(0, 10)} ${iso.slice(11, 19)} UTC`;

/**
 * Returns a target in a form that is safe to show in a chat room. For an http(s) URL, it excludes the user name,
 * password, and query string.
 */
export function targetText(url: string): string {
  const line = oneLine(url);
  if (!/^https?:/i.test(line)) return line;
  return line.replace(/^(https?:\/\/)[^/?#]*@/i, '$1').replace(/[?#].*/s, '');
}

function toneOf(notification: Notification): NotificationTone {
  switch (notification.kind) {
    case 'triggered':
    case 'reminder':
      return notification.isDegraded ? 'warning' : 'bad';
    case 'resolved':
    case 'recovered':
      return 'good';
    case 'digest':
      if ((notification.digest?.triggered ?? 0) === 0) return 'good';
      return notification.digest?.incident && isAllDegraded(notification.digest) ? 'warning' : 'bad';
    // Mentions are only for outages. A failing contact, or a certificate that is still valid for days, can wait for the
    // next reader.
    case 'contact_failing':
    case 'expiry':
    case 'acknowledged':
    case 'flapping':
    case 'test':
      return 'neutral';
    default:
      return notification.kind satisfies never;
  }
}

/** Returns one sentence about what happened. It is the same for every attempt to send the notification. */
export function eventSentence(notification: Notification): string {
  const name = nameOf(notification);
  switch (notification.kind) {
    case 'triggered':
      return `${name} is ${notification.upSeconds === undefined ? '' : 'still '}${stateOf(notification)}${again(notification.outage)}${because(notification)} (${plural(notification.failureCount, 'check')} in a row)${fromWhere(notification)}${interruption(notification)}`;
    case 'reminder':
      return `${name} is ${stillText(notification)} (reminder ${notification.ordinal ?? 1})`;
    case 'resolved':
      return resolvedSentence(notification, name);
    case 'recovered':
      return `${name} was ${stateOf(notification)} ${span(notification)}${because(notification)}`;
    case 'digest':
      return digestSentence(notification.digest);
    case 'flapping':
      return `${name} keeps ${changesOf(notification)}; no more messages are sent until it is stable`;
    case 'acknowledged':
      return acknowledgedSentence(notification, name);
    case 'test':
      return `Test message for ${name}: notifications arrive here`;
    case 'contact_failing':
      return failingSentence(notification, name);
    case 'expiry':
      return expirySentence(notification, name);
    default:
      return notification.kind satisfies never;
  }
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

function failingSentence({ durationSeconds, failing }: Notification, name: string): string {
  const error = oneLine(failing?.error ?? '').replace(/(?<!\.)\.+$/, '');
  return `Messages to ${name} have been failing for ${durationText(durationSeconds ?? 0)}${error && `: ${error}`}`;
}

/** Returns a sentence such as "The certificate of Shop ends in 9 days, on 2026-12-04". */
const expirySentence = ({ certificate }: Notification, name: string): string =>
  `The certificate of ${name} ${certificate ? endsIn(certificate.daysLeft, certificate.expiresAt) : 'expires soon'}`;

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

function digestSentence(digest: Notification['digest']): string {
  if (digest?.incident) return foldSentence(digest, digest.incident);
  const { triggered, resolved, contacts = 0, certificates = 0 } = digest ?? { triggered: 0, resolved: 0 };
  const down = `${plural(triggered, 'alert')} triggered`;
  const up = triggered === 0 ? `${plural(resolved, 'alert')} resolved` : `${resolved} resolved`;
  const failing = `${plural(contacts, 'contact')} failing`;
  const ending = `${plural(certificates, 'certificate')} expiring`;
  const said = [
    ...(triggered > 0 ? [down] : []),
    ...(resolved > 0 ? [up] : []),
    ...(contacts > 0 ? [failing] : []),
    ...(certificates > 0 ? [ending] : []),
  ];
  return said.join(', ') || down;
}

type Digest = NonNullable<Notification['digest']>;

/**
 * Returns a sentence such as "39 more, all at 192.0.2.1: connection refused (incident #12)". For the end of an
 * incident, returns "Incident #12 is over: 40 endpoints, 23 min".
 */
function foldSentence(
  digest: Digest,
  { number, down, up, endpoints, open, durationSeconds, outages = 1, ...incident }: FoldedIncident,
) {
  if (down === 0 && durationSeconds !== null)
    return `Incident #${number} is over: ${plural(endpoints, 'endpoint')}, ${durationText(durationSeconds)}${outages > 1 ? ` in ${outages} outages` : ''}`;
  const which = `(incident #${number})`;
  if (down === 0) return `${plural(up, 'endpoint')} ${are(up)} back up, ${open} still down ${which}`;
  const state = isAllDegraded(digest) ? 'degraded' : 'down';
  const upAgain = up > 0 ? `, ${up} back up` : '';
  if (incident.isReminder) return `${plural(down, 'endpoint')} ${are(down)} still ${state}${upAgain} ${which}`;
  const where = incident.address === null ? '' : ` at ${oneLine(incident.address)}`;
  const said = `${sharedMessage(digest)}${upAgain} ${which}`;
  if (!incident.isMore || outages > 1)
    return `${plural(down, 'endpoint')}${where} ${are(down)} ${state}${again(outages)}${said}`;
  return where === '' ? `${down} more ${are(down)} ${state}${said}` : `${down} more, all${where}${said}`;
}

/** Returns what to add to a state if the endpoint was down before in the same incident. */
const again = (outage = 1): string => (outage > 1 ? ' again' : '');

const are = (count: number): string => (count === 1 ? 'is' : 'are');

const isAllDegraded = ({ members }: Digest): boolean =>
  members.every(({ kind, isDegraded }) => kind !== 'triggered' || isDegraded);

/** Returns the error message that all listed endpoints share, or an empty string if they differ. */
function sharedMessage({ members }: Digest): string {
  const messages = new Set(members.filter(({ kind }) => kind === 'triggered').map(({ message }) => oneLine(message)));
  const [first] = messages;
  return messages.size === 1 && first ? `: ${first.replace(/(?<!\.)\.+$/, '')}` : '';
}

function digestLines(digest: Notification['digest']): string[] {
  if (!digest) return [];
  const lines = digest.members.map(({ kind, isDegraded, endpoint, website, message }) => {
    if (kind === 'contact') return cut(`FAILING ${oneLine(endpoint)}: ${oneLine(message)}`, 300);
    const state =
      kind === 'certificate' ? 'CERTIFICATE' : kind === 'resolved' ? 'UP' : isDegraded ? 'DEGRADED' : 'DOWN';
    return cut(`${state} ${oneLine(endpoint)} (${oneLine(website)}): ${oneLine(message)}`, 300);
  });
  const { triggered, resolved, contacts = 0, certificates = 0, members } = digest;
  const more = triggered + resolved + contacts + certificates - members.length;
  return more > 0 ? [...lines, `and ${more} more`] : lines;
}

function factsOf(notification: Notification): NotificationFact[] {
  const facts = [
    ...contactFacts(notification),
    { label: 'Website', value: oneLine(notification.website.name) },
    { label: 'Endpoint', value: endpointText(notification) },
    { label: 'Target', value: targetText(notification.endpoint.url) },
    ...certificateFacts(notification),
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

function sinceLabel({ kind, isDegraded }: Notification): string {
  if (kind === 'contact_failing') return 'Failing since';
  if (kind === 'triggered' || kind === 'reminder') return 'Since';
  return `${isDegraded ? 'Degraded' : 'Down'} since`;
}

const contactFacts = ({ contact, failing }: Notification): NotificationFact[] =>
  contact && failing
    ? [
        { label: 'Contact', value: `${oneLine(contact.name)} (${oneLine(failing.type)})` },
        { label: 'Failed attempts', value: String(failing.attempts) },
      ]
    : [];

const certificateFacts = ({ certificate }: Notification): NotificationFact[] =>
  certificate
    ? [
        { label: 'Certificate', value: oneLine(certificate.subject ?? '') },
        { label: 'Issued by', value: oneLine(certificate.issuer ?? '') },
        { label: 'Expires', value: timeText(certificate.expiresAt) },
      ]
    : [];

/** Empty if the notification isn't about an endpoint. */
const endpointText = ({ endpoint, contact }: Notification): string =>
  contact ? '' : `${oneLine(endpoint.name)} (${oneLine(endpoint.type)})`;

const repeatFact = (notification: Notification): NotificationFact[] =>
  notification.repeat ? [{ label: 'Note', value: 'an earlier attempt to send this message may have succeeded' }] : [];

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

/** Returns text such as "fra down (connection_refused)". */
function locationText({ location, outcome, error }: NotifiedLocation): string {
  const state = outcome === 'unknown' ? 'silent' : outcome === 'up' && error ? 'degraded' : outcome;
  return `${oneLine(location)} ${state}${error && outcome !== 'unknown' ? ` (${oneLine(error.code)})` : ''}`;
}

/** Returns what to add to a trigger if no notification was sent for the recovery just before it. */
const interruption = ({ upSeconds }: Notification): string =>
  upSeconds === undefined ? '' : `; it was up for ${durationText(upSeconds)}`;

/** Truncates the name, so that it can't displace the rest of the sentence. The facts contain the full name. */
const nameOf = ({ endpoint, contact }: Notification): string => {
  const name = contact ? `contact ${oneLine(contact.name)}` : oneLine(endpoint.name) || oneLine(endpoint.id);
  return cut(name, MAX_NAME_IN_SENTENCE);
};

export const stateOf = ({ isDegraded }: Notification): string => (isDegraded ? 'degraded' : 'down');

/** Returns text such as ` for 5 min`, or an empty string if the duration is unknown. */
export const lasting = (word: 'after' | 'for', { durationSeconds }: Notification): string =>
  durationSeconds === null ? '' : ` ${word} ${durationText(durationSeconds)}`;

/** Returns the reminder text for an endpoint, such as `still down for 5 min`, for use alone or in a digest. */
export const stillText = (notification: Notification): string =>
  `still ${stateOf(notification)}${lasting('for', notification)}`;

/** Returns the recovery text for an endpoint, such as `up again after 5 min`, for use alone or in a digest. */
export const recoveryText = (notification: Notification): string =>
  `${notification.isDegraded ? 'no longer degraded' : 'back up'}${lasting('after', notification)}`;

/** Returns a description of what a flapping alert does too often. */
export const changesOf = ({ condition }: Notification): string =>
  condition === 'degraded' ? 'going down or degraded and recovering' : 'going up and down';

const because = (notification: Notification): string =>
  notification.error
    ? `: ${oneLine(notification.error.message).replace(/(?<!\.)\.+$/, '') || oneLine(notification.error.code)}`
    : '';
