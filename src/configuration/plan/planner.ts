import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { Caller } from '../../platform/access/caller';
import { may } from '../../platform/access/permissions';
import type { Sql } from '../../platform/database/database';
import { parseId } from '../../platform/ids/id';
import { problems } from '../../platform/problem/problem';
import { sortedMembers } from '../../platform/text/json';
import { MOST_CONTACTS } from '../../contact/contact-store';
import { firstInCycle } from '../../endpoint/suppression/cycles';
import { namedLocations } from '../../endpoint/locations/locations';
import { MOST_OPEN } from '../../maintenance/window-store';
import { type ConfigurationDocument, MAX_RESOURCES } from '../document/document';
import { Turns } from '../../platform/time/turns';
import { ProbeDirectory } from '../../probe/probe-directory';
import { probeSettings } from '../../probe/probe.dto';
import { AllChanges } from './changes/all-changes';
import type { Planning } from './changes/planning';
import { NOT_COMPARED } from './changes/hidden-values';
import { planProbes, probesToBe } from './changes/probe-changes';
import { type EndpointMatch, matchAll, type Matches } from './matches';
import { readForeignRows } from './state/foreign-rows';
import { EMPTY_PLAN, type Plan, type PlannedAlert, type PlannedEndpoint } from './plan';
import { PlanFindings } from './plan-findings';
import { PlannedLimits } from './planned-limits';
import { type PresentState, readWanted } from './state/present-state';
import { type ForeignRows, pruned } from './prune';
import { References } from './references';
import { released, releaseNote } from './released';
import { renamed } from './renamed';
import { lookupOf } from './state/lookup-of';

export interface PlanRequest {
  caller: Caller;
  /** This installation's hostname that the request was sent to. */
  host: string | undefined;
  /** The document with the values of its secrets. */
  document: ConfigurationDocument;
  /** Pointers to the secrets whose values were sent. */
  secrets: ReadonlySet<string>;
  lineOf(this: void, pointer: string): number | null;
  /**
   * Called with the number of sent credentials that differ from the stored ones, before the plan reveals that. May
   * throw.
   */
  countGuesses(this: void, guesses: number): void;
  prune: boolean;
  /** Whether this document takes ownership of resources that another owner declares under these keys. */
  takesOver: boolean;
}

/** A plan and a digest of everything that it is based on. Equal digests mean the same plan for the same state. */
export interface PlanOfState {
  plan: Plan;
  digest: string;
  /** The digest of only the rows that were read. As long as it is the same, the plan is the same too. */
  read: string;
}

/** The stored resources that a document may refer to. */
interface Read {
  state: PresentState;
  /** Other resources that the prune has to consider, or `null` without a prune. */
  others: ForeignRows | null;
  digest: string;
}

/** Compares a document with the stored resources. Writes nothing. */
@Injectable()
export class Planner {
  constructor(
    private readonly changes: AllChanges,
    private readonly limits: PlannedLimits,
    private readonly probes: ProbeDirectory,
  ) {}

  /**
   * Returns the plan. Throws `validation_failed`, `target_not_allowed`, `conflict`, and `quota_exceeded` with the
   * problems of the first invalid resources, and `invalid_query` for a prune without an owner. Cost: at most ten
   * statements, and five more for a prune, regardless of the size of the document.
   */
  async plan(sql: Sql, request: PlanRequest): Promise<PlanOfState> {
    const { caller, host, document, secrets, lineOf } = request;
    const owner = document.owner ?? null;
    if (request.prune && owner === null) throw problems.invalidQuery([PRUNE_WITHOUT_OWNER]);
    const findings = new PlanFindings(lineOf);
    refuseTooMany(document, findings);
    const { state, others, digest: read } = await this.read(sql, request);

    const turns = new Turns();
    const matches = await matchAll(document, state, findings, request.takesOver);
    const references = new References(state, matches);
    const guesses = new Set<string>();
    const named = await this.probes.named(sql, caller.orgId, locationsIn(document, state));
    const probes = probesToBe(named, matches.probes);
    const planning: Planning = { caller, host, owner, state, references, findings, secrets, probes, guesses };
    await turns.rest();
    const rows = new Map(state.contacts.map((contact) => [contact.id, contact]));
    const plannedProbes = await turns.all(planProbes(planning, matches.probes));
    const changes = { probes: plannedProbes, ...(await this.changes.plan(planning, matches, rows, turns)) };
    const { endpoints, alerts } = changes;
    findCycle(matches.endpoints, endpoints, state, findings);
    findings.refuse();
    request.countGuesses(guesses.size);

    const gone =
      others && owner !== null
        ? pruned(owner, state, matches, others, {
            contactOfAlert: contactsOf(alerts),
            parentsOf: parentsOf(endpoints),
            locationsOf: locationsOf(endpoints),
          })
        : NOTHING_GOES;
    if (gone.deletions.length > MAX_RESOURCES) throw problems.conflict(tooMuchToPrune(gone.deletions.length));
    const isAll = may(caller, 'secrets.read') || state.contacts.length + state.endpoints.length === 0;
    const left = request.prune || owner === null ? [] : released(owner, state, matches).slice(0, MAX_RESOURCES);
    const notes = [
      ...(isAll ? [] : [NOT_COMPARED]),
      ...findings.notes,
      ...renamed(matches, state, gone.deletions),
      ...gone.notes,
      ...(owner === null || left.length === 0 ? [] : [releaseNote(owner, left.length)]),
    ];
    const { deletions } = gone;
    const plan = { ...changes, deletions, owner, released: left, notes };
    await this.limits.refuse(sql, { orgId: caller.orgId, plan, state, matches, contacts: rows, lineOf }, findings);
    return { plan, digest: await digestOf(read, plan), read };
  }

  /** Returns the current digest of a plan that changes nothing. */
  async digestOfDone(sql: Sql, request: PlanRequest): Promise<string> {
    return digestOf(await this.readDigest(sql, request), EMPTY_PLAN);
  }

  /** Returns the current value of `PlanOfState.read`. */
  async readDigest(sql: Sql, request: PlanRequest): Promise<string> {
    return (await this.read(sql, request)).digest;
  }

  private async read(sql: Sql, { caller, document, prune }: PlanRequest): Promise<Read> {
    const owner = document.owner ?? null;
    const state = await readWanted(sql, caller.orgId, lookupOf(document, owner));
    const others = owner === null || !prune ? null : await readForeignRows(sql, owner, state);
    return { state, others, digest: await digestOfState(state, others) };
  }
}

/** If a section has more resources than an organization may have, they aren't validated. */
function refuseTooMany(document: ConfigurationDocument, findings: PlanFindings): void {
  for (const [section, most] of MOST_DECLARED) {
    const declared = document[section]?.length ?? 0;
    if (declared <= most) continue;
    const message = `there are ${declared}, but an organization may have at most ${most}`;
    findings.add({ pointer: `/${section}/${most}`, code: 'too_large', message });
  }
  findings.refuse();
}

const MOST_DECLARED = [
  ['contacts', MOST_CONTACTS],
  ['maintenance_windows', MOST_OPEN],
] as const;

const PRUNE_WITHOUT_OWNER = {
  pointer: '?prune',
  code: 'required',
  message: 'prune deletes resources that an owner no longer declares, so the document must have an owner',
} as const;

const NOTHING_GOES = { deletions: [], notes: [] };

const tooMuchToPrune = (count: number): string =>
  `The owner declared ${count} resources that are no longer in the document, but at most ${MAX_RESOURCES} can be deleted at a time. Delete some of its websites first.`;

/** Returns the alerts' planned contacts, by UUID. */
const contactsOf = (alerts: readonly PlannedAlert[]): Map<string, string | null> =>
  new Map(alerts.flatMap(({ id, dto }) => (dto === null ? [] : [[id, parseId('contact', dto.contact_id)] as const])));

/** Returns the declared endpoints' planned parents, by UUID. */
const parentsOf = (endpoints: readonly PlannedEndpoint[]): Map<string, readonly string[]> =>
  new Map(endpoints.map(({ id, dependsOn }) => [id, dependsOn]));

/** Returns the declared endpoints' planned probes, by UUID. Endpoints whose probes don't change are absent. */
const locationsOf = (endpoints: readonly PlannedEndpoint[]): Map<string, readonly string[]> =>
  new Map(
    endpoints.flatMap(({ id, row, dto }) => {
      const settings = row?.settings ?? dto;
      return settings?.locations || settings?.url ? [[id, namedLocations(settings)] as const] : [];
    }),
  );

/** Finds an endpoint that would depend on itself. Endpoints outside the document are checked when it is applied. */
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
  const message = 'an endpoint must not depend on itself, nor on an endpoint that depends on it';
  findings.add({ pointer: `${match.pointer}/depends_on`, code: 'cycle', message });
}

/** Returns the probes that endpoints use now or will use. */
const locationsIn = ({ websites = [] }: ConfigurationDocument, state: PresentState): string[] => [
  ...new Set(
    [...websites.flatMap(({ endpoints = [] }) => endpoints), ...state.endpoints].flatMap(({ type, url, locations }) =>
      namedLocations({ type, url: typeof url === 'string' ? url : null, locations: locations ?? [] }),
    ),
  ),
];

/** Returns a digest of the settings that were read, excluding the fields that are written by checks and incidents. */
async function digestOfState(state: PresentState, others: ForeignRows | null): Promise<string> {
  const hashing = new Hashing();
  for (const { updatedAt: _, ...row } of [...state.contacts, ...state.websites, ...state.endpoints])
    await hashing.add(row);
  for (const alert of state.alerts) {
    const { triggered: _1, episodeNo: _2, episodeStartedAt: _3, triggerEventId: _4, ...rest } = alert;
    const { remindAt: _5, reminders: _6, updatedAt: _7, ...row } = rest;
    await hashing.add(row);
  }
  for (const { listedAt: _1, activeUntil: _2, updatedAt: _3, ...row } of state.windows) await hashing.add(row);
  for (const { updated_at: _, ...row } of state.pages) await hashing.add(row);
  for (const probe of state.probes) await hashing.add([probe.id, probe.owner, probeSettings(probe)]);
  if (others) {
    const { inWebsites, onEndpoints, alertsOfContacts, dependents, namingProbes } = others;
    await hashing.add([[...inWebsites], [...onEndpoints], alertsOfContacts, dependents, namingProbes]);
  }
  return hashing.end();
}

/** Returns a digest of the rows that were read and of the changes. */
async function digestOf(read: string, plan: Plan): Promise<string> {
  const hashing = new Hashing();
  await hashing.add(read);
  for (const list of [plan.contacts, plan.probes, plan.websites, plan.endpoints, plan.alerts, plan.pages, plan.windows])
    for (const { action, path, fields } of list) if (action !== 'unchanged') await hashing.add([action, path, fields]);
  for (const { resource, path, id } of [...plan.deletions, ...plan.released]) await hashing.add([resource, path, id]);
  return hashing.end();
}

/** Hashes thousands of rows, and lets other work run in between. */
class Hashing {
  private readonly hash = createHash('sha256');
  private readonly turns = new Turns();

  async add(part: unknown): Promise<void> {
    this.hash.update(`${JSON.stringify(part, sortedMembers)}\n`);
    await this.turns.rest();
  }

  end(): string {
    return this.hash.digest('base64url');
  }
}
