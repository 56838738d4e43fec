import { createHash } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import type { Caller } from '../../platform/access/caller';
import type { Sql } from '../../platform/database/database';
import { parseId } from '../../platform/ids/id';
import { problems } from '../../platform/problem/problem';
import { sortedMembers } from '../../platform/text/canonical-json';
import { MAX_RESOURCES } from '../document/document';
import type { ShapedDocument } from '../document/document-shape';
import { resolveSecrets } from '../document/secrets';
import { AlertChanges } from './changes/alert-changes';
import { ContactChanges } from './changes/contact-changes';
import { EndpointChanges } from './changes/endpoint-changes';
import { PageChanges } from './changes/page-changes';
import type { Planning } from './changes/planning';
import { NOT_COMPARED } from './changes/unseen-values';
import { WebsiteChanges } from './changes/website-changes';
import { WindowChanges } from './changes/window-changes';
import { firstInCycle } from './cycles';
import { type EndpointMatch, matchAll, type Matches } from './matches';
import { readOthersThings } from './state/others-things';
import type { Plan, PlannedAlert, PlannedEndpoint } from './plan';
import { PlanFindings } from './plan-findings';
import { type PresentState, readWanted } from './state/present-state';
import { pruned } from './prune';
import { References } from './references';
import { renamed } from './renamed';
import { wantedOf } from './state/wanted';

/** What is asked for. */
export interface PlanRequest {
  caller: Caller;
  /** The host name of this installation that the request was sent to. */
  host: string | undefined;
  sent: ShapedDocument;
  prune: boolean;
}

/** A plan and a digest of all that it was made of; equal ones are the same plan of the same state. */
export interface PlanOfState {
  plan: Plan;
  digest: string;
}

/** Compares a document with what there is. Writes nothing. */
@Injectable()
export class Planner {
  constructor(
    private readonly contacts: ContactChanges,
    private readonly websites: WebsiteChanges,
    private readonly endpoints: EndpointChanges,
    private readonly alerts: AlertChanges,
    private readonly pages: PageChanges,
    private readonly windows: WindowChanges,
  ) {}

  /**
   * Six statements, nine for a prune, whatever the document declares. Throws `validation_failed`, `target_not_allowed` and
   * `conflict` with the problems of all resources, and `invalid_query` for a prune without an owner.
   */
  async plan(sql: Sql, { caller, host, sent, prune }: PlanRequest): Promise<PlanOfState> {
    const { document, given } = resolveSecrets(sent.document);
    const owner = document.owner ?? null;
    if (prune && owner === null) throw problems.invalidQuery([PRUNE_WITHOUT_OWNER]);
    const state = await readWanted(sql, caller.orgId, wantedOf(document, prune ? owner : null));
    const others = prune && owner !== null ? await readOthersThings(sql, owner, state) : null;

    const findings = new PlanFindings((pointer) => sent.lineOf(pointer));
    const matches = matchAll(document, state, findings);
    const references = new References(state, matches);
    const planning: Planning = { caller, host, owner, state, references, findings, secrets: given };
    await nextTurn();
    const { contacts, rows } = this.contacts.plan(planning, matches.contacts);
    const websites = this.websites.plan(planning, matches.websites);
    const endpoints = await inTurns(matches.endpoints, (some) => this.endpoints.plan(planning, some));
    const alerts = await inTurns(matches.alerts, (some) => this.alerts.plan(planning, some, rows));
    const pages = this.pages.plan(planning, matches.pages);
    const windows = this.windows.plan(planning, matches.windows);
    findCycle(matches.endpoints, endpoints, state, findings);
    findings.refuse();

    const gone = others && owner !== null ? pruned(owner, state, matches, others, contactsOf(alerts)) : NOTHING_GOES;
    if (gone.deletions.length > MAX_RESOURCES) throw problems.conflict(tooMuchToPrune(gone.deletions.length));
    const isAll = caller.role !== 'read' || state.contacts.length + state.endpoints.length === 0;
    const notes = [
      ...(isAll ? [] : [NOT_COMPARED]),
      ...findings.notes,
      ...renamed(matches, state, gone.deletions),
      ...gone.notes,
    ];
    const plan = { contacts, websites, endpoints, alerts, pages, windows, deletions: gone.deletions, notes };
    return { plan, digest: digestOf(state, plan) };
  }
}

const PRUNE_WITHOUT_OWNER = {
  pointer: '?prune',
  code: 'required',
  message: 'prune deletes what an owner no longer declares: the document must name its owner',
} as const;

const NOTHING_GOES = { deletions: [], notes: [] };

const tooMuchToPrune = (count: number): string =>
  `The owner declared ${count} resources that the document no longer has; at most ${MAX_RESOURCES} are deleted at once. Delete websites of it first.`;

/** Others get their turn in between. */
const AT_ONCE = 100;

async function inTurns<Item, Result>(
  items: readonly Item[],
  work: (some: readonly Item[]) => Result[],
): Promise<Result[]> {
  const results: Result[] = [];
  for (let from = 0; from < items.length; from += AT_ONCE) {
    results.push(...work(items.slice(from, from + AT_ONCE)));
    await nextTurn();
  }
  return results;
}

/** What alerts will notify through, by their uuids. */
const contactsOf = (alerts: readonly PlannedAlert[]): Map<string, string | null> =>
  new Map(alerts.flatMap(({ id, dto }) => (dto === null ? [] : [[id, parseId('contact', dto.contact_id)] as const])));

/** What the document makes depend on itself. What it does not name is judged when it is applied. */
function findCycle(
  matches: Matches['endpoints'],
  endpoints: readonly PlannedEndpoint[],
  state: PresentState,
  findings: PlanFindings,
): void {
  const parents = new Map<string, readonly string[]>(state.endpoints.map(({ id, dependsOn }) => [id, dependsOn]));
  for (const { id, dependsOn } of endpoints) parents.set(id, dependsOn);
  const id = firstInCycle([...parents.keys()], parents);
  const match: EndpointMatch | undefined = matches.find((one) => one.id === id);
  if (!match) return;
  const message = 'an endpoint must not depend on itself, nor on one that does';
  findings.add({ pointer: `${match.pointer}/depends_on`, code: 'cycle', message });
}

/** Of the settings that were read and of the changes; not of what checks and incidents write. */
function digestOf(state: PresentState, plan: Plan): string {
  const hash = createHash('sha256');
  const add = (part: unknown): void => void hash.update(`${JSON.stringify(part, sortedMembers)}\n`);
  for (const { updatedAt: _, ...row } of [...state.contacts, ...state.websites, ...state.endpoints]) add(row);
  for (const alert of state.alerts) {
    const { triggered: _1, incidentNo: _2, incidentStartedAt: _3, triggerEventId: _4, ...rest } = alert;
    const { remindAt: _5, reminders: _6, updatedAt: _7, ...row } = rest;
    add(row);
  }
  for (const { listedAt: _1, activeUntil: _2, updatedAt: _3, ...row } of state.windows) add(row);
  for (const { updated_at: _, ...row } of state.pages) add(row);
  for (const list of [plan.contacts, plan.websites, plan.endpoints, plan.alerts, plan.pages, plan.windows])
    for (const { action, path, fields } of list) if (action !== 'unchanged') add([action, path, fields]);
  for (const { resource, path, id } of plan.deletions) add([resource, path, id]);
  return hash.digest('base64url');
}
