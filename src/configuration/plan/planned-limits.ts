import { checksPerSecond, locationSet } from '../../endpoint/locations/locations';
import { intervalOf } from '../../endpoint/heartbeat/heartbeat-schedule';
import { sentSchedule } from '../../endpoint/heartbeat/heartbeat.dto';
import { Injectable } from '@nestjs/common';
import { MOST_CONTACTS, MOST_DEFAULT } from '../../contact/contact-store';
import type { Contact } from '../../contact/contact.entity';
import { QUOTA_WORDS, type QuotaName } from '../../identity/quota/quotas';
import { Quotas } from '../../identity/quota/quotas.service';
import type { Sql } from '../../platform/database/database';
import type { FieldProblem } from '../../platform/problem/problem';
import { readDomain } from '../../status-page/settings/page-rules';
import {
  type AddressField,
  takenAddresses,
  takenMessage,
  type WantedAddress,
} from '../../status-page/settings/page-slugs';
import type { Matches } from './matches';
import type { Deletion, DeclaredResource, Plan, Planned, PlannedEndpoint } from './plan';
import type { PlanFindings } from './plan-findings';
import { type Demand, refusalOfDemands } from './demands';
import type { PresentState } from './state/present-state';

/** The complete plan except for its notes, and its sources. */
export interface PlannedChanges {
  orgId: string;
  plan: Plan;
  state: PresentState;
  matches: Matches;
  /** The contacts in their planned state, by UUID. */
  contacts: ReadonlyMap<string, Contact>;
  lineOf(this: void, pointer: string): number | null;
}

/** Checks for errors that would otherwise only be found by an apply: slugs and domains in use, and exceeded quotas. */
@Injectable()
export class PlannedLimits {
  constructor(private readonly quotas: Quotas) {}

  /** Throws `conflict` and `quota_exceeded`, each with pointers and lines. Cost: at most three statements. */
  async refuse(sql: Sql, changes: PlannedChanges, findings: PlanFindings): Promise<void> {
    for (const field of ['slug', 'domain'] as const) {
      const gone = idsOf(changes.plan.deletions, 'status_page').concat(pagesOfGone(changes));
      findings.addTaken((await takenAddresses(sql, field, wantedAddresses(changes, field), gone)).map(takenBy(field)));
    }
    findings.refuse();
    const refusal = refusalOfDemands(await this.demands(sql, changes), changes.lineOf);
    if (refusal) throw refusal;
  }

  private async demands(sql: Sql, changes: PlannedChanges): Promise<Demand[]> {
    const { plan, state, contacts } = changes;
    const { limits, use } = await this.quotas.read(sql, changes.orgId);
    const at = pointersOf(changes.matches);
    const each = (list: readonly Planned<unknown>[], amount = 1) =>
      list.map(({ id }) => ({ pointer: at.get(id) ?? '', amount }));
    const quota = (name: QuotaName, used: number, asked: Demand['asked']): Demand => {
      return { name, what: QUOTA_WORDS[name], limit: limits[name], used, asked };
    };
    const [websites, endpoints, alerts, pages] = [plan.websites, plan.endpoints, plan.alerts, plan.pages].map(
      (list: readonly Planned<unknown>[]) => list.filter(isNew),
    ) as [Planned<unknown>[], PlannedEndpoint[], Planned<unknown>[], Planned<unknown>[]];
    const goneEndpoints = new Set(idsOf(plan.deletions, 'endpoint'));
    const gone = new Set(plan.deletions.map(({ id }) => id));
    const goneAlerts = state.alerts.filter(({ id, endpointId }) => gone.has(endpointId) || gone.has(id)).length;
    const freed = state.endpoints.filter(({ id }) => goneEndpoints.has(id));
    const byDefault = [...contacts.values()].filter(({ isDefault }) => isDefault);
    const rates = endpoints.map(({ id, row }) => {
      return { pointer: `${at.get(id) ?? ''}/interval`, amount: row ? checksPerSecond(row.settings) : 0 };
    });
    const rateBefore = use.checks_per_second - sumOf(freed.map(checksPerSecond));
    const withPage = new Set(state.pages.map(({ website_id }) => website_id));
    const newPages = plan.websites.filter(({ id, page }) => page !== null && !withPage.has(id));
    const gonePages = idsOf(plan.deletions, 'status_page').length + pagesOfGone(changes).length;
    return [
      {
        name: 'contacts',
        what: 'contacts',
        limit: MOST_CONTACTS,
        used: state.contacts.length,
        asked: each(plan.contacts.filter(isNew)),
      },
      {
        name: 'default_contacts',
        what: 'contacts for which new endpoints get an alert',
        limit: MOST_DEFAULT,
        used: state.contacts.filter(({ isDefault }) => isDefault).length,
        asked: defaultsAsked(changes, at),
      },
      quota('probes', use.probes, each(plan.probes.filter(isNew))),
      quota('websites', use.websites, each(websites)),
      quota('endpoints', use.endpoints - goneEndpoints.size, each(endpoints)),
      quota('checks_per_second', rateBefore, rates),
      quota('checks_per_second', rateBefore + sumOf(rates.map(({ amount }) => amount)), moreChecks(changes, at)),
      quota('alerts', use.alerts - goneAlerts, [
        ...each(
          endpoints.filter(({ hasAlerts }) => !hasAlerts),
          byDefault.length,
        ),
        ...each(alerts),
      ]),
      ...alertsPerEndpoint(changes, at).map(({ used, asked }) => quota('alerts_per_endpoint', used, asked)),
      quota('status_pages', use.status_pages - gonePages, [...each(newPages), ...each(pages)]),
    ];
  }
}

const isNew = ({ action }: Planned<unknown>): boolean => action === 'create';
const sumOf = (numbers: readonly number[]): number => numbers.reduce((sum, number) => sum + number, 0);

const idsOf = (deletions: readonly Deletion[], resource: DeclaredResource): string[] =>
  deletions.filter((one) => one.resource === resource).map(({ id }) => id);

/** Returns the status pages that are deleted with their websites. */
function pagesOfGone({ plan, state }: PlannedChanges): string[] {
  const gone = new Set(idsOf(plan.deletions, 'website'));
  return state.pages.filter(({ website_id }) => gone.has(website_id ?? '')).map(({ id }) => id);
}

const pointersOf = (matches: Matches): Map<string, string> =>
  new Map(
    Object.values(matches).flatMap((list: readonly { id: string; pointer: string }[]) =>
      list.map(({ id, pointer }): [string, string] => [id, pointer]),
    ),
  );

type Lookup = WantedAddress & { pointer: string };

const takenBy =
  (field: AddressField) =>
  ({ pointer, address }: Lookup): FieldProblem => ({ pointer, code: 'taken', message: takenMessage(field, address) });

/** Returns the slugs or domains in the document. Slugs created from names are always free. */
function wantedAddresses({ plan, state, matches }: PlannedChanges, field: AddressField): Lookup[] {
  const at = pointersOf(matches);
  const ofWebsites = new Map(state.pages.map(({ id, website_id }) => [website_id, id]));
  const own = plan.pages.flatMap(({ id, action, dto }): Lookup[] => {
    const sent = field === 'slug' ? dto?.slug : dto?.domain && readDomain(dto.domain);
    const pointer = `${at.get(id) ?? ''}/${field}`;
    return typeof sent === 'string' ? [{ id: action === 'create' ? null : id, address: sent, pointer }] : [];
  });
  if (field === 'domain') return own;
  const others = plan.websites.flatMap(({ id, page }): Lookup[] => {
    const pointer = `${at.get(id) ?? ''}/status_page/slug`;
    return typeof page?.slug === 'string' ? [{ id: ofWebsites.get(id) ?? null, address: page.slug, pointer }] : [];
  });
  return [...others, ...own];
}

function defaultsAsked({ plan, state, contacts }: PlannedChanges, at: ReadonlyMap<string, string>): Demand['asked'] {
  const before = new Set(state.contacts.filter(({ isDefault }) => isDefault).map(({ id }) => id));
  return plan.contacts.flatMap(({ id }) => {
    const amount = Number(contacts.get(id)?.isDefault ?? false) - Number(before.has(id));
    return amount === 0 ? [] : [{ pointer: `${at.get(id) ?? ''}/default`, amount }];
  });
}

function moreChecks({ plan, state }: PlannedChanges, at: ReadonlyMap<string, string>): Demand['asked'] {
  const before = new Map(state.endpoints.map((endpoint) => [endpoint.id, endpoint]));
  return plan.endpoints.flatMap(({ id, dto }) => {
    const from = before.get(id);
    if (!from || !dto) return [];
    const interval = dto.heartbeat ? intervalOf(sentSchedule(dto.heartbeat)) : dto.interval;
    const locations = dto.locations ? locationSet(dto.locations) : from.locations;
    const amount =
      checksPerSecond({ intervalSeconds: interval ?? from.intervalSeconds, locations }) - checksPerSecond(from);
    const field = dto.heartbeat ? 'heartbeat' : locations.length > from.locations.length ? 'locations' : 'interval';
    return amount === 0 ? [] : [{ pointer: `${at.get(id) ?? ''}/${field}`, amount }];
  });
}

/** Returns the alerts for each endpoint that gets new ones. */
function alertsPerEndpoint({ plan, state }: PlannedChanges, at: ReadonlyMap<string, string>) {
  const gone = new Set(idsOf(plan.deletions, 'alert'));
  const counts = new Map<string, number>();
  for (const { id, endpointId } of state.alerts)
    if (!gone.has(id)) counts.set(endpointId, (counts.get(endpointId) ?? 0) + 1);
  const asked = new Map<string, { pointer: string; amount: number }[]>();
  for (const { id, endpointId } of plan.alerts.filter(isNew)) {
    const list = asked.get(endpointId) ?? [];
    list.push({ pointer: at.get(id) ?? '', amount: 1 });
    asked.set(endpointId, list);
  }
  return [...asked].map(([id, alerts]) => ({ used: counts.get(id) ?? 0, asked: alerts }));
}
