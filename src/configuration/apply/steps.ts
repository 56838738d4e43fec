import type { DeclaredResource, Plan, Planned } from '../plan/plan';

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
  [plan.contacts, plan.websites, plan.endpoints, plan.alerts, plan.pages, plan.windows].every(
    (list: readonly Planned<unknown>[]) => list.every(({ action }) => action === 'unchanged'),
  );

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
  const together = [plan.contacts, plan.websites, plan.endpoints, plan.alerts, plan.pages, plan.windows];
  const rows = together.reduce((sum, list) => sum + changed(list).length, 0);
  const gone = plan.deletions.filter(({ isImplied }) => !isImplied);
  const apart =
    switched(plan.contacts, '/config', '/type') +
    switched(plan.websites, '/enabled') +
    changed(plan.windows).length +
    gone.filter(({ resource }) => resource !== 'endpoint').length;
  return rows + gone.length + plan.released.length + apart * (BY_ITSELF - 1);
}
