import { ApiProblem } from '../api/client';
import type { ConfigurationPlan } from '../api/types';
import { words } from './format';

type Change = ConfigurationPlan['changes'][number];

const SIGNS: Record<Change['action'], string> = { create: '+', update: '~', adopt: '=', delete: '−' };

/** Returns the symbol for an action in a plan, such as `+` for a new resource. */
export const signOf = (action: Change['action']): string => SIGNS[action];

const ORDER = ['create', 'update', 'adopt', 'delete'] as const;

const listed = ({ summary }: ConfigurationPlan, verbs: Record<(typeof ORDER)[number], string>): string =>
  ORDER.filter((action) => summary[action] > 0)
    .map((action) => `${summary[action].toLocaleString('en')} ${verbs[action]}`)
    .join(', ');

export const isEmpty = (plan: ConfigurationPlan): boolean => ORDER.every((action) => plan.summary[action] === 0);

/** Returns text such as `2 to create, 1 to delete, 40 unchanged.` */
export function summaryText(plan: ConfigurationPlan): string {
  const unchanged = `${plan.summary.unchanged.toLocaleString('en')} unchanged.`;
  if (isEmpty(plan)) return `Nothing to do: ${unchanged}`;
  const verbs = { create: 'to create', update: 'to change', adopt: 'to adopt', delete: 'to delete' };
  return `${listed(plan, verbs)}, ${unchanged}`;
}

/** Returns text such as `2 created, 1 deleted.` */
export const appliedText = (plan: ConfigurationPlan): string =>
  isEmpty(plan)
    ? 'No changes were needed.'
    : `${listed(plan, { create: 'created', update: 'changed', adopt: 'adopted', delete: 'deleted' })}.`;

const valueText = (value: unknown): string | null =>
  value === undefined || value === null ? null : typeof value === 'string' ? value : JSON.stringify(value);

/** Returns the settings in a change with their values. A value is `null` if there is none. */
export const fieldLines = ({ fields }: Change): { name: string; from: string | null; to: string | null }[] =>
  fields.map(({ pointer, before, after }) => ({
    name: words(pointer.slice(1)).replaceAll('/', ' '),
    from: valueText(before),
    to: valueText(after),
  }));

/** Returns a document's problems with their line numbers, or `null` for any other failure. */
export function placedMessage(error: unknown): string | null {
  if (!(error instanceof ApiProblem) || error.errors.length === 0) return null;
  const places = error.errors.map(({ line, pointer, message }) => {
    const where = line === undefined ? pointer : `line ${line}`;
    return where === '' ? message : `${where}: ${message}`;
  });
  return `${error.message} ${places.join('; ')}.`;
}
