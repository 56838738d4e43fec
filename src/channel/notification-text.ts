import type { FoldedIncident, Notification, NotifiedLocation } from './notification';
import { cut, oneLine, someLines } from '../platform/text/text-limits';
import { plural } from '../platform/text/plural';
import { endsIn } from '../platform/text/ends-in';

const MAX_NAME_IN_SENTENCE = 100;

/** The colour of a notification: an outage, a warning, the end of either, or none of them. */
export type NotificationTone = 'bad' | 'warning' | 'good' | 'neutral';

/** One fact of a notification, such as "Error: connection_refused". */
export interface NotificationFact {
  label: string;
  value: string;
}

/** Where a reader goes from a notification: an absolute URL, and the word for it. */
export interface NotificationLink {
  label: string;
  url: string;
}

/** A notification in words, for any channel that people read. Plain text: each channel escapes it for its own markup. */
export class NotificationText {
  constructor(
    readonly tone: NotificationTone,
    /** What happened, in one sentence on one line, without a full stop. Begins with "Repeat: " when it may have arrived before. */
    readonly sentence: string,
    /** What a reader wants to know next, in reading order. */
    readonly facts: readonly NotificationFact[],
    /** The members of a digest, one line each. */
    readonly lines: readonly string[],
    /** What is checked, without the user name, password and query that an http(s) URL may carry. */
    readonly target: string,
    /** Where to act and look, the most important first; empty without `PUBLIC_URL`. */
    readonly links: readonly NotificationLink[],
  ) {}

  /** Lines and facts as plain text, one below the other, without the links. */
  get details(): string {
    return [...this.lines, ...this.facts.map(({ label, value }) => `${label}: ${value}`)].join('\n');
  }

  /** The links as plain text, one below the other; empty without any. */
  get linkLines(): string {
    return this.links.map(({ label, url }) => `${label}: ${url}`).join('\n');
  }

  /** The details with the links below them, in at most `max` characters; a link is whole, whatever is cut. */
  detailsWithin(max: number): string {
    return aboveLinks(this.details, this.linkLines, max);
  }

  /** The sentence with details and links below it, in at most `max` characters; a link is whole, whatever is cut. */
  plain(max: number): string {
    return aboveLinks(`${this.sentence}\n${this.details}`, this.linkLines, max);
  }

  /** This text with its sentence and the value of each fact cut to so many characters. */
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

/** Puts a notification into words. Names and messages come from outside: control characters and line ends are taken out. */
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

/** `45 s`, `12 min 3 s`, `3 h 4 min`, `2 d 3 h`: two units at most. */
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

/** `2026-11-20 12:01:33 UTC` from an ISO timestamp. */
export const timeText = (iso: string): string => `${iso.slice(0, 10)} ${iso.slice(11, 19)} UTC`;

/** A target fit for a chat room: without the user name, password and query that an http(s) URL may carry. */
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
    // Mentions are for outages: a failing contact, or a certificate with days left, can wait for whoever reads next.
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

/** What happened, in one sentence; the same for every attempt at the notification. */
export function eventSentence(notification: Notification): string {
  const name = nameOf(notification);
  switch (notification.kind) {
    case 'triggered':
      return `${name} is ${notification.upSeconds === undefined ? '' : 'still '}${stateOf(notification)}${because(notification)} (${plural(notification.failureCount, 'check')} in a row)${fromWhere(notification)}${interruption(notification)}`;
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

/** Such as "The certificate of Shop ends in 9 days, on 2026-12-04". */
const expirySentence = ({ certificate }: Notification, name: string): string =>
  `The certificate of ${name} ${certificate ? endsIn(certificate.daysLeft, certificate.expiresAt) : 'expires soon'}`;

function span(notification: Notification): string {
  const length = notification.durationSeconds === null ? '' : ` (${durationText(notification.durationSeconds)})`;
  if (notification.startedAt === null) return `until ${timeText(notification.createdAt)}${length}`;
  const sameDay = notification.startedAt.slice(0, 10) === notification.createdAt.slice(0, 10);
  const from = timeText(notification.startedAt).replace(/ UTC$/, '');
  return `from ${from} to ${sameDay ? timeText(notification.createdAt).slice(11) : timeText(notification.createdAt)}${length}`;
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
 * Such as "39 more, all at 192.0.2.1: connection refused (incident #12)" and, at its end, "Incident #12 is over: 40 endpoints,
 * 23 min".
 */
function foldSentence(
  digest: Digest,
  { number, down, up, endpoints, open, durationSeconds, ...incident }: FoldedIncident,
) {
  if (down === 0 && durationSeconds !== null)
    return `Incident #${number} is over: ${plural(endpoints, 'endpoint')}, ${durationText(durationSeconds)}`;
  const which = `(incident #${number})`;
  if (down === 0) return `${plural(up, 'endpoint')} ${are(up)} back up, ${open} still down ${which}`;
  const state = isAllDegraded(digest) ? 'degraded' : 'down';
  const upAgain = up > 0 ? `, ${up} back up` : '';
  if (incident.isReminder) return `${plural(down, 'endpoint')} ${are(down)} still ${state}${upAgain} ${which}`;
  const where = incident.address === null ? '' : ` at ${oneLine(incident.address)}`;
  const said = `${sharedMessage(digest)}${upAgain} ${which}`;
  if (!incident.isMore) return `${plural(down, 'endpoint')}${where} ${are(down)} ${state}${said}`;
  return where === '' ? `${down} more ${are(down)} ${state}${said}` : `${down} more, all${where}${said}`;
}

const are = (count: number): string => (count === 1 ? 'is' : 'are');

const isAllDegraded = ({ members }: Digest): boolean =>
  members.every(({ kind, isDegraded }) => kind !== 'triggered' || isDegraded);

/** What all of the named say went wrong; nothing where they differ. */
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
    { label: 'Description', value: someLines(notification.alert.description, 20) },
  ];
  return [...facts.filter(({ value }) => value !== ''), ...repeatFact(notification)];
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

/** Empty without an endpoint. */
const endpointText = ({ endpoint, contact }: Notification): string =>
  contact ? '' : `${oneLine(endpoint.name)} (${oneLine(endpoint.type)})`;

const repeatFact = (notification: Notification): NotificationFact[] =>
  notification.repeat ? [{ label: 'Note', value: 'an earlier attempt to send this message may have succeeded' }] : [];

/** Characters of the names of locations in a sentence. */
const MAX_LOCATIONS = 200;

/** Such as " from 2 of 3 locations: fra, office; no word from virginia". Of what is degraded its warning says it. */
function fromWhere({ locations, isDegraded }: Notification): string {
  if (!locations || isDegraded) return '';
  const named = (outcome: NotifiedLocation['outcome']): string[] =>
    locations.filter((one) => one.outcome === outcome).map(({ location }) => oneLine(location));
  const [down, lost] = [named('down'), named('unknown')];
  const from = ` from ${down.length} of ${plural(locations.length, 'location')}: ${cut(down.join(', '), MAX_LOCATIONS)}`;
  return lost.length === 0 ? from : `${from}; no result from ${cut(lost.join(', '), MAX_LOCATIONS)}`;
}

/** Such as "fra down (connection_refused)". */
function locationText({ location, outcome, error }: NotifiedLocation): string {
  const state = outcome === 'unknown' ? 'silent' : outcome === 'up' && error ? 'degraded' : outcome;
  return `${oneLine(location)} ${state}${error && outcome !== 'unknown' ? ` (${oneLine(error.code)})` : ''}`;
}

/** What a trigger adds when the recovery just before it was not notified. */
const interruption = ({ upSeconds }: Notification): string =>
  upSeconds === undefined ? '' : `; it was up for ${durationText(upSeconds)}`;

/** Cut, so that a long endpoint name cannot push out the rest of the sentence; the facts give it in full. */
const nameOf = ({ endpoint, contact }: Notification): string => {
  const name = contact ? `contact ${oneLine(contact.name)}` : oneLine(endpoint.name) || oneLine(endpoint.id);
  return cut(name, MAX_NAME_IN_SENTENCE);
};

export const stateOf = ({ isDegraded }: Notification): string => (isDegraded ? 'degraded' : 'down');

/** ` for 5 min`, or nothing while the duration is not known. */
export const lasting = (word: 'after' | 'for', { durationSeconds }: Notification): string =>
  durationSeconds === null ? '' : ` ${word} ${durationText(durationSeconds)}`;

/** `still down for 5 min`: what a reminder says of an endpoint, alone or in a digest. */
export const stillText = (notification: Notification): string =>
  `still ${stateOf(notification)}${lasting('for', notification)}`;

/** `up again after 5 min`: what a resolve says of an endpoint, alone or in a digest. */
export const recoveryText = (notification: Notification): string =>
  `${notification.isDegraded ? 'no longer degraded' : 'back up'}${lasting('after', notification)}`;

/** What an alert that triggers and resolves too often reports. */
export const changesOf = ({ condition }: Notification): string =>
  condition === 'degraded' ? 'going down or degraded and recovering' : 'going up and down';

const because = (notification: Notification): string =>
  notification.error
    ? `: ${oneLine(notification.error.message).replace(/(?<!\.)\.+$/, '') || oneLine(notification.error.code)}`
    : '';
