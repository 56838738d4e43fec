import type { DeclaredResource, Plan, Planned } from '../plan/plan';

export const isNew = ({ action }: Planned<unknown>): boolean => action === 'create';

/** Those of which settings change. */
export const toUpdate = <Dto>(list: readonly Planned<Dto>[]): { id: string; dto: Dto }[] =>
  list.flatMap(({ action, id, dto }) => (action === 'create' || dto === null ? [] : [{ id, dto }]));

/** uuids of what is deleted for itself, not with its parent. */
export const deletedOf = (plan: Plan, resource: DeclaredResource): string[] =>
  plan.deletions.filter((one) => one.resource === resource && !one.isImplied).map(({ id }) => id);

/** uuids of what gets the owner of the document. */
export const toOwn = (list: readonly Planned<unknown>[]): string[] =>
  list.filter(({ isToBeOwned }) => isToBeOwned).map(({ id }) => id);

/** True when nothing of it would be written. */
export const isEmpty = (plan: Plan): boolean =>
  plan.deletions.length === 0 &&
  [plan.contacts, plan.websites, plan.endpoints, plan.alerts, plan.pages, plan.windows].every(
    (list: readonly Planned<unknown>[]) => list.every(({ action }) => action === 'unchanged'),
  );

/** Changes that are written one by one take as long as so many that are written together. */
const ONE_BY_ONE = 4;

/** How much a plan writes, in rows that are written together. */
export function weightOf(plan: Plan): number {
  const together = [...plan.endpoints, ...plan.alerts].filter(({ action }) => action !== 'unchanged').length;
  const oneByOne: readonly (readonly Planned<unknown>[])[] = [plan.contacts, plan.websites, plan.pages, plan.windows];
  const others = oneByOne.flat().filter(({ action, dto }) => action !== 'unchanged' && dto !== null).length;
  const deletions = plan.deletions.filter(({ isImplied }) => !isImplied).length;
  return together + others * ONE_BY_ONE + deletions;
}
