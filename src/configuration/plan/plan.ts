import type { CreateContactDto } from '../../contact/contact.dto';
import type { CreateAlertDto } from '../../alert/alert.dto';
import type { UpdateEndpointDto } from '../../endpoint/endpoint.dto';
import type { NewEndpoint } from '../../endpoint/endpoint.repository';
import type { CreateMaintenanceWindowDto } from '../../maintenance/maintenance-window.dto';
import type { CreatePublicPageDto } from '../../status-page/settings/public-page.dto';
import type { UpdateStatusPageDto } from '../../status-page/settings/website-page.dto';
import type { CreateProbeDto } from '../../probe/probe.dto';
import type { NewWebsiteDto } from '../../website/website.dto';

/** What a document declares, children behind their parents. */
export const DECLARED_RESOURCES = [
  'contact',
  'probe',
  'website',
  'endpoint',
  'alert',
  'status_page',
  'maintenance_window',
] as const;
export type DeclaredResource = (typeof DECLARED_RESOURCES)[number];

/** `adopt`: it was there without a key or without an owner. */
export type PlannedAction = 'create' | 'update' | 'adopt' | 'unchanged';

/** One setting that changes, as the audit log shows it: credentials masked, other resources by their key paths. */
export interface FieldChange {
  pointer: string;
  before: unknown;
  after: unknown;
}

/** Something to know about the plan. `key`: the key path of what it is about. */
export interface PlanNote {
  key: string | null;
  message: string;
}

/** What becomes of one declared resource. */
export interface Planned<Dto> {
  action: PlannedAction;
  /** The key path. */
  path: string;
  /** uuid; that of a new one is chosen here. */
  id: string;
  fields: readonly FieldChange[];
  /** What its service is sent: of `update` and `adopt` nothing where its settings stay. */
  dto: Dto | null;
  /** The document's owner is to be written: it has another or none. */
  isToBeOwned: boolean;
}

export interface PlannedWebsite extends Planned<NewWebsiteDto> {
  /** Of its status page; `null` where that stays. */
  page: UpdateStatusPageDto | null;
}

export interface PlannedEndpoint extends Planned<UpdateEndpointDto> {
  /** uuids, as it will be. */
  dependsOn: readonly string[];
  websiteId: string;
  /** Of a new one. */
  row: NewEndpoint | null;
  /** The document says which alerts it has: a new one gets none through default contacts. */
  hasAlerts: boolean;
}

export interface PlannedAlert extends Planned<CreateAlertDto> {
  endpointId: string;
}

/** Something of the owner that the document no longer declares. */
export interface Deletion {
  resource: DeclaredResource;
  path: string;
  id: string;
  /** Goes with its endpoint, which is deleted too. */
  isImplied: boolean;
}

/** Something of the owner that the document no longer declares and that stays, without an owner. */
export type Released = Omit<Deletion, 'isImplied'>;

/** What applying a document does. */
export interface Plan {
  contacts: readonly Planned<CreateContactDto>[];
  probes: readonly Planned<CreateProbeDto>[];
  websites: readonly PlannedWebsite[];
  endpoints: readonly PlannedEndpoint[];
  alerts: readonly PlannedAlert[];
  pages: readonly Planned<CreatePublicPageDto>[];
  windows: readonly Planned<CreateMaintenanceWindowDto>[];
  /** Children before their parents. */
  deletions: readonly Deletion[];
  /** Of the document. */
  owner: string | null;
  released: readonly Released[];
  notes: readonly PlanNote[];
}

/** A plan that changes nothing. */
export const EMPTY_PLAN: Plan = {
  contacts: [],
  probes: [],
  websites: [],
  endpoints: [],
  alerts: [],
  pages: [],
  windows: [],
  deletions: [],
  owner: null,
  released: [],
  notes: [],
};

export const isNew = ({ action }: Planned<unknown>): boolean => action === 'create';

/** Those that are made. */
export const toCreate = <Dto>(list: readonly Planned<Dto>[]): { id: string; dto: Dto }[] =>
  list.flatMap(({ action, id, dto }) => (action === 'create' && dto !== null ? [{ id, dto }] : []));

/** Those of which settings change. */
export const toUpdate = <Dto>(list: readonly Planned<Dto>[]): { id: string; dto: Dto }[] =>
  list.flatMap(({ action, id, dto }) => (action === 'create' || dto === null ? [] : [{ id, dto }]));

/** uuids of what is deleted for itself, not with its parent. */
export const deletedOf = (plan: Plan, resource: DeclaredResource): string[] =>
  plan.deletions.filter((one) => one.resource === resource && !one.isImplied).map(({ id }) => id);

/** uuids of what gets the owner of the document. */
export const toOwn = (list: readonly Planned<unknown>[]): string[] =>
  list.filter(({ isToBeOwned }) => isToBeOwned).map(({ id }) => id);

/** uuids of what stays without an owner. */
export const releasedOf = (plan: Plan, resource: DeclaredResource): string[] =>
  plan.released.filter((one) => one.resource === resource).map(({ id }) => id);

/** True when nothing of it would be written. */
export const isEmpty = (plan: Plan): boolean =>
  plan.deletions.length + plan.released.length === 0 &&
  [plan.contacts, plan.probes, plan.websites, plan.endpoints, plan.alerts, plan.pages, plan.windows].every(
    (list: readonly Planned<unknown>[]) => list.every(({ action }) => action === 'unchanged'),
  );

/** True when probes would be written: what whoever may not name their rights leaves alone. */
export const changesProbes = (plan: Plan): boolean =>
  plan.probes.some(({ action }) => action !== 'unchanged') ||
  [...plan.deletions, ...plan.released].some(({ resource }) => resource === 'probe');

/** What is written by itself takes as long as so many that are written together. */
const BY_ITSELF = 4;

/**
 * How much a plan writes, in rows that are written together. By itself: a contact that notifies elsewhere, a website that is
 * paused or started, and what goes, but endpoints; a window has occurrences.
 */
export function weightOf(plan: Plan): number {
  const changed = (list: readonly Planned<unknown>[]) =>
    list.filter(({ action, dto }) => action !== 'unchanged' && dto !== null);
  const switched = (list: readonly Planned<unknown>[], ...pointers: readonly string[]): number =>
    changed(list).filter((one) => !isNew(one) && one.fields.some(({ pointer }) => pointers.includes(pointer))).length;
  const together = [plan.contacts, plan.probes, plan.websites, plan.endpoints, plan.alerts, plan.pages, plan.windows];
  const rows = together.reduce((sum, list) => sum + changed(list).length, 0);
  const gone = plan.deletions.filter(({ isImplied }) => !isImplied);
  const apart =
    switched(plan.contacts, '/config', '/type') +
    switched(plan.websites, '/enabled') +
    changed(plan.windows).length +
    changed(plan.probes).length +
    gone.filter(({ resource }) => resource !== 'endpoint').length;
  return rows + gone.length + plan.released.length + apart * (BY_ITSELF - 1);
}
