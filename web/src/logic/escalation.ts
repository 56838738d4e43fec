import type { Alert, OverviewItem } from '../api/types';
import { count } from './format';
import { type GroupWebsite, selected } from './overview-order';
import { spanText } from './time-span';

export type StepAlert = Pick<Alert, 'id' | 'endpoint_id' | 'contact_id' | 'after' | 'triggered'>;

/** An escalation step that is being edited: the contacts to notify after a failure has lasted for some minutes. */
export interface Step {
  /** Doesn't change when the step moves. */
  id: number;
  /** The text as typed. */
  minutes: string;
  contacts: readonly string[];
}

/** Steps ordered by minutes. The first is immediate. The last is empty, so that one can be added. */
export type Escalation = readonly Step[];

/** A contact's alert rules that have the same delay. */
interface Told {
  contact_id: string;
  /** In seconds. */
  after: number;
}

/** The changes needed so that some endpoints' alert rules match an escalation. */
export interface EscalationPlan {
  /** Endpoints without an alert rule for the contact. One request covers up to a thousand of them. */
  creates: (Told & { endpoint_ids: string[] })[];
  /** Endpoints that already have a rule for the contact at another step. Each needs its own request. */
  further: (Told & { endpoint_id: string })[];
  changes: (Told & { alert: StepAlert })[];
  removes: StepAlert[];
}

/** The service accepts delays of up to a day. */
const MOST_MINUTES = 1440;
const FIRST_DELAY = 30;

/** Returns whole seconds, or `null` if the text isn't a number of minutes up to a day. */
export function secondsOf({ minutes }: Pick<Step, 'minutes'>): number | null {
  const n = minutes.trim() === '' ? Number.NaN : Number(minutes);
  return n >= 0 && n <= MOST_MINUTES ? Math.round(n * 60) : null;
}

/** Describes a delay, such as `at once` or `after 10 min`. */
export const whenText = (after: number): string => (after === 0 ? 'at once' : `after ${spanText(after)}`);

const ascending = (numbers: Iterable<number>): number[] => [...numbers].sort((a, b) => a - b);

const isTold = (step: Step): boolean => step.contacts.length > 0;

/**
 * Returns the steps ordered by minutes. It merges equal steps, drops steps without contacts, and adds an empty step. If
 * any step's minutes are invalid, the order doesn't change.
 */
export function arranged(steps: Escalation): Escalation {
  const bySeconds = new Map<number, Step>([[0, { id: 0, minutes: '0', contacts: [] }]]);
  for (const step of steps) {
    const seconds = secondsOf(step);
    if (seconds === null) return steps;
    const { id, contacts } = bySeconds.get(seconds) ?? { ...step, contacts: [] };
    // The last step's minutes may be typed before it has contacts.
    if (isTold(step) || step === steps.at(-1))
      bySeconds.set(seconds, {
        id,
        minutes: String(seconds / 60),
        contacts: [...new Set([...contacts, ...step.contacts])],
      });
  }
  const ordered = ascending(bySeconds.keys()).flatMap((seconds) => bySeconds.get(seconds) ?? []);
  const last = Number(ordered.at(-1)?.minutes);
  const isOpen = last > 0 && ordered.at(-1)?.contacts.length === 0;
  if (isOpen || last === MOST_MINUTES) return ordered;
  const id = Math.max(...[...ordered, ...steps].map((step) => step.id)) + 1;
  const minutes = String(last === 0 ? FIRST_DELAY : Math.min(last * 2, MOST_MINUTES));
  return [...ordered, { id, minutes, contacts: [] }];
}

export const withStep = (escalation: Escalation, id: number, change: Partial<Step>): Escalation =>
  escalation.map((step) => (step.id === id ? { ...step, ...change } : step));

/** Returns the alert rules by contact, endpoint, and delay. */
function timesOf(alerts: readonly StepAlert[]): Map<string, Map<string, Map<number, StepAlert[]>>> {
  const found = new Map<string, Map<string, Map<number, StepAlert[]>>>();
  for (const alert of alerts) {
    if (alert.contact_id === null) continue;
    const ofContact = entry(found, alert.contact_id, () => new Map<string, Map<number, StepAlert[]>>());
    entry(
      entry(ofContact, alert.endpoint_id, () => new Map<number, StepAlert[]>()),
      alert.after,
      () => [],
    ).push(alert);
  }
  return found;
}

function entry<K, V>(map: Map<K, V>, key: K, make: () => V): V {
  const known = map.get(key);
  if (known !== undefined) return known;
  const made = make();
  map.set(key, made);
  return made;
}

/**
 * Returns the escalation that the alert rules amount to. Each contact gets the steps that most of its endpoints have.
 * If there is a tie, the earlier steps are used.
 */
export function escalationOf(alerts: readonly StepAlert[]): Escalation {
  const steps: Step[] = [];
  for (const [contact, endpoints] of timesOf(alerts)) {
    const votes = new Map<string, { times: number[]; n: number }>();
    for (const byTime of endpoints.values()) {
      const times = ascending(byTime.keys());
      entry(votes, times.join(), () => ({ times, n: 0 })).n++;
    }
    const [most] = [...votes.values()].sort((a, b) => b.n - a.n || (a.times[0] ?? 0) - (b.times[0] ?? 0));
    for (const after of most?.times ?? [])
      steps.push({ id: steps.length + 1, minutes: String(after / 60), contacts: [contact] });
  }
  return arranged(steps);
}

/** The contacts that the escalation notifies, and when. */
const toldBy = (escalation: Escalation): Map<string, Set<number>> => {
  const told = new Map<string, Set<number>>();
  for (const step of escalation) {
    const after = secondsOf(step);
    if (after === null) continue;
    for (const contact of step.contacts) entry(told, contact, () => new Set<number>()).add(after);
  }
  return told;
};

/**
 * Returns the changes that turn the endpoints' alert rules into the escalation. A rule whose delay is in the escalation
 * isn't changed. Other rules move to their contact's missing delays, earliest to earliest, and the rest are removed.
 * Rules without a contact aren't changed.
 */
export function escalationPlan(
  escalation: Escalation,
  alerts: readonly StepAlert[],
  endpointIds: readonly string[],
): EscalationPlan {
  const plan: EscalationPlan = { creates: [], further: [], changes: [], removes: [] };
  const [told, existing] = [toldBy(escalation), timesOf(alerts)];
  const missing = new Map<string, EscalationPlan['creates'][number]>();
  for (const contact_id of new Set([...told.keys(), ...existing.keys()])) {
    for (const endpoint_id of endpointIds) {
      const wanted = told.get(contact_id) ?? new Set<number>();
      const has = existing.get(contact_id)?.get(endpoint_id) ?? new Map<number, StepAlert[]>();
      const free = ascending(has.keys()).filter((after) => !wanted.has(after));
      const lacking = ascending(wanted).filter((after) => !has.has(after));
      let isThrough = has.size > 0;
      for (const [index, after] of lacking.entries()) {
        const from = free[index];
        if (from !== undefined) {
          for (const alert of has.get(from) ?? []) plan.changes.push({ contact_id, after, alert });
        } else if (isThrough) {
          plan.further.push({ contact_id, after, endpoint_id });
        } else {
          const key = `${contact_id} ${after}`;
          entry(missing, key, () => ({ contact_id, after, endpoint_ids: [] })).endpoint_ids.push(endpoint_id);
          isThrough = true;
        }
      }
      for (const after of free.slice(lacking.length)) plan.removes.push(...(has.get(after) ?? []));
    }
  }
  plan.creates.push(...missing.values());
  return plan;
}

const createsOf = ({ creates, further }: EscalationPlan): number =>
  creates.reduce((sum, { endpoint_ids }) => sum + endpoint_ids.length, further.length);

/** Whether the alert rules already match the escalation. */
export const isDone = (plan: EscalationPlan): boolean =>
  createsOf(plan) + plan.changes.length + plan.removes.length === 0;

const some = (n: number): string => (n === 0 ? 'none' : n.toLocaleString('en'));

/** Returns text such as `creates 4 alert rules, changes 1, removes none`. */
export const planText = (plan: EscalationPlan): string => {
  const created = createsOf(plan);
  const creates = created === 0 ? 'no alert rules' : count(created, 'alert rule');
  return `creates ${creates}, changes ${some(plan.changes.length)}, removes ${some(plan.removes.length)}`;
};

/**
 * Describes the plan line by line, such as `New: Manager after 30 min, 3 endpoints`, `Team: after 10 min instead of at
 * once`, or `Removed: Email at once`.
 */
export function planLines(
  { creates, further, changes, removes }: EscalationPlan,
  nameOf: (id: string) => string,
): string[] {
  const endpoints = new Map<string, Set<string>>();
  const add = (line: string, ...ids: string[]) => {
    for (const id of ids) entry(endpoints, line, () => new Set()).add(id);
  };
  for (const { contact_id, after, endpoint_ids } of creates)
    add(`New: ${nameOf(contact_id)} ${whenText(after)}`, ...endpoint_ids);
  for (const { contact_id, after, endpoint_id } of further)
    add(`New: ${nameOf(contact_id)} ${whenText(after)}`, endpoint_id);
  for (const { contact_id, after, alert } of changes)
    add(`${nameOf(contact_id)}: ${whenText(after)} instead of ${whenText(alert.after)}`, alert.endpoint_id);
  for (const { contact_id, after, endpoint_id } of removes)
    add(`Removed: ${nameOf(contact_id ?? '')} ${whenText(after)}`, endpoint_id);
  return [...endpoints].map(([line, ids]) => (ids.size === 1 ? line : `${line}, ${count(ids.size, 'endpoint')}`));
}

/** Returns how many endpoints have alert rules that the plan changes. */
export const touched = (plan: EscalationPlan): number =>
  new Set([
    ...plan.creates.flatMap(({ endpoint_ids }) => endpoint_ids),
    ...plan.further.map(({ endpoint_id }) => endpoint_id),
    ...plan.changes.map(({ alert }) => alert.endpoint_id),
    ...plan.removes.map(({ endpoint_id }) => endpoint_id),
  ]).size;

/** Returns text such as `1 of 5 endpoints has different alert rules.`, or `null` if all are the same. */
export function unlikeText(alerts: readonly StepAlert[], endpointIds: readonly string[]): string | null {
  const n = touched(escalationPlan(escalationOf(alerts), alerts, endpointIds));
  const all = endpointIds.length.toLocaleString('en');
  return n === 0
    ? null
    : `${n.toLocaleString('en')} of ${all} endpoints ${n === 1 ? 'has' : 'have'} different alert rules.`;
}

/** Returns text such as `On call and Team at once, Manager after 30 min`. Empty if no one is notified. */
export const escalationText = (escalation: Escalation, nameOf: (id: string) => string): string =>
  escalation
    .filter(isTold)
    .map((step) => `${listed(step.contacts.map(nameOf))} ${whenText(secondsOf(step) ?? 0)}`)
    .join(', ');

const listed = (names: readonly string[]): string =>
  names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;

/** The endpoints that an escalation applies to: one endpoint, a website's endpoints, or the endpoints with a tag. */
export interface EscalationTarget {
  name: string;
  endpointIds: string[];
  /** The path that lists their alert rules, possibly along with others. */
  path: string;
}

/** Returns the target of an escalation: an endpoint or website by ID, or else a tag. `null` if it isn't found. */
export function escalationTarget(
  id: string,
  tag: string | null,
  items: readonly OverviewItem[],
  websites: readonly GroupWebsite[],
): EscalationTarget | null {
  const idsOf = (list: readonly OverviewItem[]) => list.map((item) => item.id);
  const endpoint = items.find((item) => item.id === id);
  if (endpoint) return { name: endpoint.name, endpointIds: [id], path: `/api/v1/alerts?endpoint_id=${id}` };
  const website = websites.find((each) => each.id === id);
  if (website) {
    const ofIt = items.filter((item) => item.website.id === id);
    return { name: website.name, endpointIds: idsOf(ofIt), path: `/api/v1/alerts?website_id=${id}` };
  }
  if (tag === null) return null;
  const tagged = selected(items, { ...ANY, tag }, websites);
  return { name: tag, endpointIds: idsOf(tagged), path: '/api/v1/alerts' };
}

const ANY = {
  text: '',
  status: null,
  website: null,
  planned: false,
  location: null,
  at: null,
  order: 'worst',
} as const;

/** A request that applies part of a plan. */
export interface EscalationRequest {
  method: 'POST' | 'PUT' | 'DELETE';
  path: string;
  body?: Record<string, unknown>;
}

/** The maximum number of endpoints in one request. */
const MOST_NAMED = 1000;

/**
 * Returns a plan's requests in stages. First come rules for endpoints that have none, then additional rules. Removals
 * come last, so that no endpoint is temporarily without alerts.
 */
export function escalationRequests({ creates, further, changes, removes }: EscalationPlan): EscalationRequest[][] {
  const made = creates.flatMap(({ contact_id, after, endpoint_ids }) =>
    Array.from({ length: Math.ceil(endpoint_ids.length / MOST_NAMED) }, (_, page): EscalationRequest => {
      const named = endpoint_ids.slice(page * MOST_NAMED, (page + 1) * MOST_NAMED);
      return {
        method: 'POST',
        path: `/api/v1/contacts/${contact_id}/alerts`,
        body: { scope: { endpoint_ids: named }, after },
      };
    }),
  );
  return [
    [
      ...made,
      ...changes.map(({ alert, after }): EscalationRequest => ({
        method: 'PUT',
        path: pathOf(alert),
        body: { after },
      })),
    ],
    further.map((body): EscalationRequest => ({ method: 'POST', path: '/api/v1/alerts', body: { ...body } })),
    removes.map((alert): EscalationRequest => ({ method: 'DELETE', path: pathOf(alert) })),
  ];
}

const pathOf = ({ id }: StepAlert): string => `/api/v1/alerts/${id}`;
