import type { AnswerMode, Arrival } from '../harness/servers/switched-server';

/** Milliseconds since the epoch. */
export interface Span {
  from: number;
  to: number;
}

/** How a target or provider answered, from a time on. */
export interface Turn {
  from: number;
  mode: AnswerMode;
}

/** A row of the outbox: one for each event of an alert, because every alert wants its resolves. */
export interface Message {
  id: string;
  /** Of its event. */
  at: number;
  alert: string;
  endpoint: string;
  kind: string;
  incidentNo: number;
  state: string;
  detail: string | null;
}

/** A request that a provider got. */
export interface Told extends Pick<Arrival, 'at' | 'answered' | 'body'> {
  /** Its webhook-id. */
  id: string;
  channel: number;
}

export interface RecordedCheck {
  endpoint: string;
  at: number;
  outcome: 'up' | 'down' | 'unknown';
}

/** How often a target was asked over a time. */
export interface Attention extends Span {
  intervalMs: number;
  requests: number;
  /** Of these, those that the target did not answer well. */
  failed: number;
}

/** An instance that ended. `orderly`: asked to by SIGTERM. */
export interface End {
  at: number;
  orderly: boolean;
}

/** Everything that happened in a run up to a moment in which nothing was owed. */
export interface History {
  /** In the order of the outbox. */
  messages: readonly Message[];
  /** In the order of their arrival. */
  told: readonly Told[];
  checks: readonly RecordedCheck[];
  /** By endpoint; before the first the target was fine. */
  turns: ReadonlyMap<string, readonly Turn[]>;
  /** Alerts that somebody ended or switched off, or meant to. */
  stopped: ReadonlySet<string>;
  /** Endpoints that nobody edits. */
  steady: ReadonlyMap<string, Attention>;
  ends: readonly End[];
  /** When instances could write no outcome: the database was away, or they were frozen. */
  absences: readonly Span[];
  /** When this program itself stood still: its targets answered late. */
  standstills: readonly Span[];
}

/** What was promised and not kept, one line each. */
export const brokenProperties = (history: History): string[] => [
  ...eachEventIsTold(history),
  ...nothingIsToldTwice(history),
  ...nothingIsInvented(history),
  ...eventsAlternateInOrder(history),
  ...checksAgreeWithTargets(history),
  ...nothingIsCheckedTooOften(history),
];

const isTaken = ({ answered }: Told): boolean => answered === 'ok';

function byId(told: readonly Told[]): Map<string, Told[]> {
  const groups = new Map<string, Told[]>();
  for (const each of told) {
    const group = groups.get(each.id);
    if (group) group.push(each);
    else groups.set(each.id, [each]);
  }
  return groups;
}

const nameOf = ({ alert, kind, incidentNo, id }: Message): string => `${kind} ${incidentNo} of ${alert} (${id})`;

function eachEventIsTold({ messages, told, stopped }: History): string[] {
  const arrivals = byId(told);
  return messages.flatMap((message) => {
    const taken = (arrivals.get(message.id) ?? []).filter(isTaken).length;
    const what = `${nameOf(message)} is ${message.state} ${message.detail ?? ''}`.trim();
    if (message.state === 'delivered') return taken > 0 ? [] : [`lost event: ${what}, and no provider took it`];
    if (message.state === 'superseded') return stopped.has(message.alert) ? [] : [`dropped event: ${what}`];
    return [`untold event: ${what}`];
  });
}

/** An outcome is written within this time when the database is there, on a busy machine. */
const WRITTEN_WITHIN_MS = 5000;

/** An end may be noted this much before a request that was sent before it: this program reads both when it gets to it. */
const NOTED_WITHIN_MS = 1000;

/** True when the instance that sent it may have ended before it could write that it was taken. */
function isAmbiguous(at: number, { ends, absences, standstills }: History): boolean {
  const heldUpMs = standstills
    .filter((span) => overlap(span, { from: at - WRITTEN_WITHIN_MS, to: at }))
    .reduce((sum, { from, to }) => sum + to - from, 0);
  return ends.some((end) => {
    if (end.at < at - NOTED_WITHIN_MS - heldUpMs) return false;
    const couldNotWrite = absences.some(({ from, to }) => from <= end.at && at <= to + WRITTEN_WITHIN_MS);
    return couldNotWrite || (!end.orderly && end.at - at <= WRITTEN_WITHIN_MS);
  });
}

function nothingIsToldTwice(history: History): string[] {
  return [...byId(history.told)].flatMap(([id, arrivals]) => {
    const taken = arrivals.filter(isTaken);
    const broken = taken
      .slice(0, -1)
      .filter(({ at }) => !isAmbiguous(at, history))
      .map(({ at }) => `duplicate without ambiguity: ${id} was taken at ${clock(at)} and sent again`);
    const texts = new Set(arrivals.map(({ body }) => body));
    if (texts.size > 1) broken.push(`one id, two texts: ${id}`);
    return broken;
  });
}

/** How often a provider took something for a second time. */
export const repeats = ({ told }: Pick<History, 'told'>): number =>
  [...byId(told).values()].reduce((sum, arrivals) => sum + Math.max(0, arrivals.filter(isTaken).length - 1), 0);

/** From the first of the checks that trigger an alert to its event. */
const TRIGGERED_WITHIN_MS = 30_000;

function nothingIsInvented({ messages, told, turns, standstills }: History): string[] {
  const known = new Set(messages.map(({ id }) => id));
  const strangers = [...new Set(told.map(({ id }) => id))].filter((id) => !known.has(id));
  const isEverBad = (endpoint: string) => (turns.get(endpoint) ?? []).some(({ mode }) => mode !== 'ok');
  const incidentOf = ({ alert, incidentNo }: Message) => `${alert} ${incidentNo}`;
  const wasHeldUp = ({ at }: Message) =>
    standstills.some((span) => overlap(span, { from: at - TRIGGERED_WITHIN_MS, to: at }));
  const excused = new Set(messages.filter((each) => each.kind === 'triggered' && wasHeldUp(each)).map(incidentOf));
  return [
    ...strangers.map((id) => `invented message: no event has the id ${id}`),
    ...messages
      .filter((message) => !isEverBad(message.endpoint) && !excused.has(incidentOf(message)))
      .map((message) => `false alarm: ${nameOf(message)}, whose target ${message.endpoint} never failed`),
  ];
}

function eventsAlternateInOrder({ messages, told }: History): string[] {
  const broken: string[] = [];
  const arrivals = byId(told.map((each, place) => ({ ...each, at: place })));
  const last = new Map<string, Message>();
  for (const message of messages) {
    const before = last.get(message.alert);
    last.set(message.alert, message);
    const follows =
      message.kind === 'triggered'
        ? message.incidentNo === (before?.incidentNo ?? 0) + 1 && before?.kind !== 'triggered'
        : message.incidentNo === before?.incidentNo && before.kind === 'triggered';
    if (!follows) broken.push(`events do not alternate: ${nameOf(message)} after ${before ? nameOf(before) : 'none'}`);
    if (!before || before.state !== 'delivered' || message.state !== 'delivered') continue;
    for (const first of arrivals.get(message.id) ?? []) {
      const earlier = (arrivals.get(before.id) ?? []).filter(({ channel }) => channel === first.channel);
      if (earlier.length > 0 && !earlier.some((each) => isTaken(each) && each.at < first.at)) {
        broken.push(`out of order: ${nameOf(message)} was told before ${nameOf(before)} was taken`);
        break;
      }
    }
  }
  return broken;
}

/** From the beginning of a check to its last attempt: three seconds each, twice after a stall, late starts included. */
const CHECK_MS = 12_000;
/** How far apart a check's date by the database's clock and its arrival by ours may be. */
const EARLY_MS = 2000;

function checksAgreeWithTargets({ checks, turns, standstills }: History): string[] {
  return checks.flatMap(({ endpoint, at, outcome }) => {
    if (outcome === 'unknown') return [];
    const during: Span = { from: at - EARLY_MS, to: at + CHECK_MS };
    if (standstills.some((span) => overlap(span, during))) return [];
    const modes = modesDuring(turns.get(endpoint) ?? [], during);
    if (outcome === 'down' && modes.every((mode) => mode === 'ok'))
      return [`invented failure: ${endpoint} was down at ${clock(at)} while its target was fine`];
    if (outcome === 'up' && !modes.includes('ok'))
      return [`invented success: ${endpoint} was up at ${clock(at)} while its target failed`];
    return [];
  });
}

function modesDuring(turns: readonly Turn[], { from, to }: Span): AnswerMode[] {
  const all: Turn[] = [{ from: Number.NEGATIVE_INFINITY, mode: 'ok' }, ...turns];
  return all.filter((turn, place) => turn.from <= to && (all[place + 1]?.from ?? to) >= from).map(({ mode }) => mode);
}

const overlap = (a: Span, b: Span): boolean => a.from <= b.to && b.from <= a.to;

/** Requests beyond one per interval that each end of an instance or absence may cost: what it had begun is begun again. */
const EXTRA_PER_FAULT = 2;
/** Slots do not begin on the millisecond. */
const SPREAD = 1.1;

function nothingIsCheckedTooOften({ steady, ends, absences }: History): string[] {
  return [...steady].flatMap(([endpoint, { intervalMs, requests, failed, from, to }]) => {
    // What fails while the monitor stalls is checked again, so half of what failed may be such repetitions.
    const due = (SPREAD * (to - from)) / intervalMs + failed / 2;
    const most = due + EXTRA_PER_FAULT * (ends.length + absences.length) + 5;
    if (requests <= most) return [];
    return [`checked too often: ${endpoint} ${requests} times in ${to - from} ms, each ${intervalMs} ms is due`];
  });
}

const clock = (at: number): string => new Date(at).toISOString().slice(11, 23);
