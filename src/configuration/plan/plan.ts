import type { CreateContactDto } from '../../contact/contact.dto';
import type { CreateAlertDto } from '../../alert/alert.dto';
import type { UpdateEndpointDto } from '../../endpoint/endpoint.dto';
import type { NewEndpoint } from '../../endpoint/endpoint.repository';
import type { CreateMaintenanceWindowDto } from '../../maintenance/maintenance-window.dto';
import type { CreatePublicPageDto } from '../../status-page/settings/public-page.dto';
import type { UpdateStatusPageDto } from '../../status-page/settings/website-page.dto';
import type { CreateProbeDto } from '../../probe/probe.dto';
import type { NewWebsiteDto } from '../../website/website.dto';

/** The resources that a document declares, with children after their parents. */
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

/** The action for a resource. `adopt` means that it existed without a key or without an owner. */
export type PlannedAction = 'create' | 'update' | 'adopt' | 'unchanged';

/**
 * One setting that changes, as in the audit log: credentials are masked, and other resources are shown as key paths.
 */
export interface FieldChange {
  pointer: string;
  before: unknown;
  after: unknown;
}

/** A note about the plan. `key` is the key path of the resource that it applies to. */
export interface PlanNote {
  key: string | null;
  message: string;
}

export interface Planned<Dto> {
  action: PlannedAction;
  /** The key path. */
  path: string;
  /** UUID, which is chosen here for a new resource. */
  id: string;
  fields: readonly FieldChange[];
  /** The request to its service, or `null` for an `update` or `adopt` that doesn't change settings. */
  dto: Dto | null;
  /** Whether the owner has to be written, because the resource has another owner or none. */
  isToBeOwned: boolean;
}

export interface PlannedWebsite extends Planned<NewWebsiteDto> {
  /** The change to its status page, or `null` if the page doesn't change. */
  page: UpdateStatusPageDto | null;
}

export interface PlannedEndpoint extends Planned<UpdateEndpointDto> {
  /** The UUIDs of the planned parents. */
  dependsOn: readonly string[];
  websiteId: string;
  /** A new endpoint's row. */
  row: NewEndpoint | null;
  /**
   * Whether the document lists the endpoint's alerts. If so, a new endpoint gets no alerts through default contacts.
   */
  hasAlerts: boolean;
}

export interface PlannedAlert extends Planned<CreateAlertDto> {
  endpointId: string;
}

/** One of the owner's resources that the document no longer declares. */
export interface Deletion {
  resource: DeclaredResource;
  path: string;
  id: string;
  /** Whether it is deleted implicitly, with its endpoint. */
  isImplied: boolean;
}

/** One of the owner's resources that the document no longer declares and that is kept without an owner. */
export type Released = Omit<Deletion, 'isImplied'>;

export interface Plan {
  contacts: readonly Planned<CreateContactDto>[];
  probes: readonly Planned<CreateProbeDto>[];
  websites: readonly PlannedWebsite[];
  endpoints: readonly PlannedEndpoint[];
  alerts: readonly PlannedAlert[];
  pages: readonly Planned<CreatePublicPageDto>[];
  windows: readonly Planned<CreateMaintenanceWindowDto>[];
  /** Deletions, with children before their parents. */
  deletions: readonly Deletion[];
  /** The document's owner. */
  owner: string | null;
  released: readonly Released[];
  notes: readonly PlanNote[];
}

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

export const toCreate = <Dto>(list: readonly Planned<Dto>[]): { id: string; dto: Dto }[] =>
  list.flatMap(({ action, id, dto }) => (action === 'create' && dto !== null ? [{ id, dto }] : []));

/** Returns the resources whose settings change. */
export const toUpdate = <Dto>(list: readonly Planned<Dto>[]): { id: string; dto: Dto }[] =>
  list.flatMap(({ action, id, dto }) => (action === 'create' || dto === null ? [] : [{ id, dto }]));

/** Returns the UUIDs of resources that are deleted explicitly, not with their parent. */
export const deletedOf = (plan: Plan, resource: DeclaredResource): string[] =>
  plan.deletions.filter((one) => one.resource === resource && !one.isImplied).map(({ id }) => id);

/** Returns the UUIDs of resources whose owner becomes the document's owner. */
export const toOwn = (list: readonly Planned<unknown>[]): string[] =>
  list.filter(({ isToBeOwned }) => isToBeOwned).map(({ id }) => id);

/** Returns the UUIDs of resources that are kept without an owner. */
export const releasedOf = (plan: Plan, resource: DeclaredResource): string[] =>
  plan.released.filter((one) => one.resource === resource).map(({ id }) => id);

/** Returns true if applying the plan writes nothing. */
export const isEmpty = (plan: Plan): boolean =>
  plan.deletions.length + plan.released.length === 0 &&
  [plan.contacts, plan.probes, plan.websites, plan.endpoints, plan.alerts, plan.pages, plan.windows].every(
    (list: readonly Planned<unknown>[]) => list.every(({ action }) => action === 'unchanged'),
  );

/** Returns true if applying the plan writes probes, which only admins may do. */
export const changesProbes = (plan: Plan): boolean =>
  plan.probes.some(({ action }) => action !== 'unchanged') ||
  [...plan.deletions, ...plan.released].some(({ resource }) => resource === 'probe');

/** A separate write takes as long as this many rows that are written together. */
const BY_ITSELF = 4;

/**
 * Returns how much a plan writes, in rows that are written together. Separate writes are contacts with a new
 * destination, websites that are paused or resumed, and deletions of anything but endpoints. A maintenance window also
 * writes its occurrences.
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
