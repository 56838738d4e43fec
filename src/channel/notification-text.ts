import type { Notification } from './channel';
import { cut, oneLine, someLines } from './text-limits';

const MAX_NAME_IN_SENTENCE = 100;

/** How a message is coloured: an outage, its end, or neither. */
export type NotificationTone = 'bad' | 'good' | 'neutral';

/** A notice in words, for any channel that people read. Plain text: each channel escapes it for its own markup. */
export interface NotificationText {
  tone: NotificationTone;
  /** The message in one sentence on one line, without a full stop. */
  sentence: string;
  /** What one wants to know next, in reading order. */
  facts: { label: string; value: string }[];
  /** The members of a digest, one line each. */
  lines: string[];
}

/** Puts a notice into words. Names and messages come from outside: control characters and line ends are taken out. */
export function notificationText(notice: Notification): NotificationText {
  const sentence = sentenceOf(notice);
  return {
    tone: toneOf(notice),
    sentence: notice.repeat ? `Repeat: ${sentence}` : sentence,
    facts: notice.kind === 'digest' ? repeatFact(notice) : factsOf(notice),
    lines: notice.kind === 'digest' ? digestLines(notice.digest) : [],
  };
}

/** The facts and lines below the sentence as plain text. */
export const detailsText = (text: NotificationText): string =>
  [...text.lines, ...text.facts.map(({ label, value }) => `${label}: ${value}`)].join('\n');

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
  return line.replace(/^(https?:\/\/)[^/?#]*@/i, '$1').replace(/[?#].*$/, '');
}

function toneOf(notice: Notification): NotificationTone {
  switch (notice.kind) {
    case 'triggered':
      return 'bad';
    case 'resolved':
    case 'recovered':
      return 'good';
    case 'digest':
      return (notice.digest?.triggered ?? 0) > 0 ? 'bad' : 'good';
    case 'flapping':
    case 'test':
      return 'neutral';
    default:
      return notice.kind satisfies never;
  }
}

function sentenceOf(notice: Notification): string {
  const name = nameOf(notice);
  switch (notice.kind) {
    case 'triggered':
      return `${name} is ${notice.upSeconds === undefined ? '' : 'still '}down${because(notice)} (${counted(notice.failureCount, 'check')} in a row)${interruption(notice)}`;
    case 'resolved':
      return resolvedSentence(notice, name);
    case 'recovered':
      return `${name} was down ${span(notice)}${because(notice)}`;
    case 'digest':
      return digestSentence(notice.digest);
    case 'flapping':
      return `${name} keeps going up and down; further messages are held back until it is stable`;
    case 'test':
      return `Test message for ${name}: notifications arrive here`;
    default:
      return notice.kind satisfies never;
  }
}

function resolvedSentence(notice: Notification, name: string): string {
  const after = notice.durationSeconds === null ? '' : ` after ${durationText(notice.durationSeconds)}`;
  switch (notice.reason) {
    case 'disabled':
      return `The alert for ${name} was closed${after}: it was disabled`;
    case 'deleted':
      return `The alert for ${name} was closed${after}: it was deleted`;
    case 'threshold':
    case null:
      return `${name} is up again${after}`;
    default:
      return notice.reason satisfies never;
  }
}

function span(notice: Notification): string {
  const length = notice.durationSeconds === null ? '' : ` (${durationText(notice.durationSeconds)})`;
  if (notice.startedAt === null) return `until ${timeText(notice.createdAt)}${length}`;
  const sameDay = notice.startedAt.slice(0, 10) === notice.createdAt.slice(0, 10);
  const from = timeText(notice.startedAt).replace(/ UTC$/, '');
  return `from ${from} to ${sameDay ? timeText(notice.createdAt).slice(11) : timeText(notice.createdAt)}${length}`;
}

function digestSentence(digest: Notification['digest']): string {
  const { triggered, resolved } = digest ?? { triggered: 0, resolved: 0 };
  const down = `${counted(triggered, 'alert')} triggered`;
  const up = `${counted(resolved, 'alert')} resolved`;
  if (resolved === 0) return down;
  return triggered === 0 ? up : `${down}, ${resolved} resolved`;
}

function digestLines(digest: Notification['digest']): string[] {
  if (!digest) return [];
  const lines = digest.members.map(({ kind, endpoint, website, message }) => {
    const state = kind === 'triggered' ? 'DOWN' : 'UP';
    return cut(`${state} ${oneLine(endpoint)} (${oneLine(website)}): ${oneLine(message)}`, 300);
  });
  const more = digest.triggered + digest.resolved - digest.members.length;
  return more > 0 ? [...lines, `and ${more} more`] : lines;
}

function factsOf(notice: Notification): NotificationText['facts'] {
  const facts = [
    { label: 'Website', value: oneLine(notice.website.name) },
    { label: 'Endpoint', value: `${oneLine(notice.endpoint.name)} (${oneLine(notice.endpoint.type)})` },
    { label: 'Target', value: targetText(notice.endpoint.url) },
    { label: 'Error', value: notice.error ? oneLine(notice.error.code) : '' },
    {
      label: notice.kind === 'triggered' ? 'Since' : 'Down since',
      value: notice.startedAt ? timeText(notice.startedAt) : '',
    },
    { label: 'Reported', value: timeText(notice.createdAt) },
    { label: 'Description', value: someLines(notice.alert.description, 20) },
  ];
  return [...facts.filter(({ value }) => value !== ''), ...repeatFact(notice)];
}

const repeatFact = (notice: Notification): NotificationText['facts'] =>
  notice.repeat ? [{ label: 'Note', value: 'an earlier attempt at this message may have arrived' }] : [];

/** Short enough that a long name cannot push out what happened to its bearer; the facts give it in full. */
const interruption = ({ upSeconds }: Notification): string =>
  upSeconds === undefined ? '' : `; it was up for ${durationText(upSeconds)}`;

const nameOf = (notice: Notification): string =>
  cut(oneLine(notice.endpoint.name) || oneLine(notice.endpoint.id), MAX_NAME_IN_SENTENCE);

const because = (notice: Notification): string =>
  notice.error ? `: ${oneLine(notice.error.message).replace(/\.+$/, '') || oneLine(notice.error.code)}` : '';

const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`;
