import type { ResponseMode } from '../harness/servers/switchable-server';
import { byId, type Delivery, type History, isAccepted, type ModeChange, nameOf, overlap, type Span } from './history';
import { episodeProperties } from './episode-properties';
import { locationProperties } from './location-properties';
import { pagerProperties } from './pager-properties';

/** Returns broken promises, one line each. */
export const brokenProperties = (history: History): string[] => [
  ...everyEventIsDelivered(history),
  ...nothingIsDeliveredTwice(history),
  ...nothingIsInvented(history),
  ...eventsAlternateInOrder(history),
  ...checksAgreeWithTargets(history),
  ...nothingIsCheckedTooOften(history),
  ...episodeProperties(history),
  ...pagerProperties(history),
  ...locationProperties(history),
];

function everyEventIsDelivered({ deliveries, received, stopped }: History): string[] {
  const arrivals = byId(received);
  return deliveries.flatMap((delivery) => {
    const accepted = (arrivals.get(delivery.id) ?? []).filter(isAccepted).length;
    const what = `${nameOf(delivery)} is ${delivery.state} ${delivery.detail ?? ''}`.trim();
    if (delivery.state === 'delivered') return accepted > 0 ? [] : [`lost event: ${what}, and no provider accepted it`];
    // An episode that ends before its reminder is sent cancels it.
    if (delivery.state === 'superseded')
      return delivery.kind === 'reminder' || stopped.has(delivery.alert) ? [] : [`dropped event: ${what}`];
    return [`undelivered event: ${what}`];
  });
}

/** A result is written within this time while the database is available, even on a busy machine. */
const WRITE_LIMIT_MS = 5000;

/** An exit may be recorded this long before an earlier request, because this process reads the two independently. */
const EXIT_CLOCK_TOLERANCE_MS = 1000;

/** Returns whether the sender may have exited before it could record that the provider had accepted. */
function isAmbiguous(at: number, { exits, downtimes, ownStalls }: History): boolean {
  const stalledMs = ownStalls
    .filter((span) => overlap(span, { from: at - WRITE_LIMIT_MS, to: at }))
    .reduce((sum, { from, to }) => sum + to - from, 0);
  return exits.some((exit) => {
    if (exit.at < at - EXIT_CLOCK_TOLERANCE_MS - stalledMs) return false;
    const couldNotWrite = downtimes.some(({ from, to }) => from <= exit.at && at <= to + WRITE_LIMIT_MS);
    return couldNotWrite || (!exit.graceful && exit.at - at <= WRITE_LIMIT_MS);
  });
}

function nothingIsDeliveredTwice(history: History): string[] {
  const names = new Map(history.deliveries.map((delivery) => [delivery.id, nameOf(delivery)]));
  return [...byId(history.received)].flatMap(([id, arrivals]) => {
    const accepted = arrivals.filter(isAccepted);
    const broken = accepted
      .slice(0, -1)
      .filter(({ at }) => !isAmbiguous(at, history))
      .map(({ at }) => {
        const others = arrivals.filter((one) => one.at !== at).map((one) => `${clock(one.at)} (${one.mode})`);
        return `duplicate without ambiguity: ${names.get(id) ?? id} was accepted at ${clock(at)}, and sent at ${others.join(', ')}`;
      });
    const [body = '', other] = new Set(arrivals.map((one) => one.body));
    if (other !== undefined) broken.push(`one id, two bodies: ${id}: ${difference(body, other)}`);
    return broken;
  });
}

/** Returns the text around the first difference. */
function difference(a: string, b: string): string {
  const from = Math.max(0, [...a].findIndex((letter, place) => letter !== b[place]) - 20);
  return [a, b].map((text) => text.slice(from, from + 80)).join(' and ');
}

/** Returns how often a provider accepted the same notification again. */
export const repeats = ({ received }: Pick<History, 'received'>): number =>
  [...byId(received).values()].reduce((sum, arrivals) => sum + Math.max(0, arrivals.filter(isAccepted).length - 1), 0);

/** The time from the first of the failing checks behind a trigger to its event. */
const TRIGGER_LIMIT_MS = 30_000;

function nothingIsInvented({ deliveries, received, modeChanges, ownStalls }: History): string[] {
  const known = new Set(deliveries.map(({ id }) => id));
  const unknownIds = [...new Set(received.map(({ id }) => id))].filter((id) => !known.has(id));
  const hasFailed = (endpoint: string) => (modeChanges.get(endpoint) ?? []).some(({ mode }) => mode !== 'ok');
  const episodeOf = ({ alert, episodeNo }: Delivery) => `${alert} ${episodeNo}`;
  const sawOwnStall = ({ at }: Delivery) =>
    ownStalls.some((span) => overlap(span, { from: at - TRIGGER_LIMIT_MS, to: at }));
  const excused = new Set(deliveries.filter((each) => each.kind === 'triggered' && sawOwnStall(each)).map(episodeOf));
  return [
    ...unknownIds.map((id) => `invented notification: no event has the id ${id}`),
    ...deliveries
      .filter((delivery) => !hasFailed(delivery.endpoint) && !excused.has(episodeOf(delivery)))
      .map((delivery) => `false alarm: ${nameOf(delivery)}, whose target ${delivery.endpoint} never failed`),
  ];
}

function eventsAlternateInOrder({ deliveries, received }: History): string[] {
  const broken: string[] = [];
  const arrivals = byId(received.map((each, index) => ({ ...each, at: index })));
  const last = new Map<string, Delivery>();
  for (const delivery of deliveries.filter(({ kind }) => kind !== 'reminder')) {
    const before = last.get(delivery.alert);
    last.set(delivery.alert, delivery);
    const follows =
      delivery.kind === 'triggered'
        ? delivery.episodeNo === (before?.episodeNo ?? 0) + 1 && before?.kind !== 'triggered'
        : delivery.episodeNo === before?.episodeNo && before.kind === 'triggered';
    if (!follows) broken.push(`events do not alternate: ${nameOf(delivery)} after ${before ? nameOf(before) : 'none'}`);
    if (!before || before.state !== 'delivered' || delivery.state !== 'delivered') continue;
    for (const arrival of arrivals.get(delivery.id) ?? []) {
      const earlier = (arrivals.get(before.id) ?? []).filter(({ channel }) => channel === arrival.channel);
      if (earlier.length > 0 && !earlier.some((each) => isAccepted(each) && each.at < arrival.at)) {
        broken.push(`out of order: ${nameOf(delivery)} was sent before ${nameOf(before)} was accepted`);
        break;
      }
    }
  }
  return broken;
}

/**
 * The time from the start of a check to its last attempt: three seconds each, two after a stall, including late
 * starts.
 */
const CHECK_MS = 12_000;
/**
 * The maximum difference between a check's timestamp by the database's clock and its arrival by this process's clock.
 */
const CLOCK_TOLERANCE_MS = 2000;

function checksAgreeWithTargets({ checks, modeChanges, ownStalls }: History): string[] {
  return checks.flatMap(({ endpoint, at, outcome }) => {
    if (outcome === 'unknown') return [];
    const during: Span = { from: at - CLOCK_TOLERANCE_MS, to: at + CHECK_MS };
    if (ownStalls.some((span) => overlap(span, during))) return [];
    const modes = modesDuring(modeChanges.get(endpoint) ?? [], during);
    if (outcome === 'down' && modes.every((mode) => mode === 'ok'))
      return [`invented failure: ${endpoint} was down at ${clock(at)} while its target was fine`];
    if (outcome === 'up' && !modes.includes('ok'))
      return [`invented success: ${endpoint} was up at ${clock(at)} while its target failed`];
    return [];
  });
}

function modesDuring(modeChanges: readonly ModeChange[], { from, to }: Span): ResponseMode[] {
  const all: ModeChange[] = [{ from: Number.NEGATIVE_INFINITY, mode: 'ok' }, ...modeChanges];
  return all
    .filter((change, index) => change.from <= to && (all[index + 1]?.from ?? to) >= from)
    .map(({ mode }) => mode);
}

/**
 * The extra requests beyond one per interval that an exit or a downtime may cost, because unfinished checks start
 * again.
 */
const EXTRA_REQUESTS_PER_FAULT = 2;
/** Slots do not start exactly on time. */
const SLOT_JITTER = 1.1;

function nothingIsCheckedTooOften({ steady, exits, downtimes, probeFaults }: History): string[] {
  return [...steady].flatMap(([endpoint, { intervalMs, requests, failed, from, to }]) => {
    // A failure during a stall of the monitor is checked again, so half of the failures may be repeats.
    const due = (SLOT_JITTER * (to - from)) / intervalMs + failed / 2;
    const most = due + EXTRA_REQUESTS_PER_FAULT * (exits.length + downtimes.length + probeFaults) + 5;
    if (requests <= most) return [];
    return [`checked too often: ${endpoint} ${requests} times in ${to - from} ms, each ${intervalMs} ms is due`];
  });
}

const clock = (at: number): string => new Date(at).toISOString().slice(11, 23);
