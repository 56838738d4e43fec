import { type Colour, type Paint, shown } from './style';

/** The response to a plan or apply request. */
export interface Plan {
  summary: { create: number; update: number; adopt: number; delete: number; unchanged: number };
  changes: PlannedChange[];
  notes: { key: string | null; message: string }[];
}

export interface PlannedChange {
  action: string;
  resource: string;
  key: string;
  id: string | null;
  fields?: { pointer: string; before?: unknown; after?: unknown }[];
}

const SIGNS: Readonly<Record<string, readonly [string, Colour]>> = {
  create: ['+', 'green'],
  update: ['~', 'yellow'],
  adopt: ['=', 'cyan'],
  delete: ['-', 'red'],
};

export const changeCount = ({ summary }: Plan): number =>
  summary.create + summary.update + summary.adopt + summary.delete;

/** Returns a plan as a diff: one line for each change with its fields, followed by notes and a summary. */
export function planLines(plan: Plan, paint: Paint): string[] {
  return [
    ...plan.changes.flatMap((change) => changeLines(change, paint)),
    ...noteLines(plan, paint),
    planSummary(plan),
  ];
}

export const appliedSummary = ({ summary }: Plan): string =>
  `Applied: ${summary.create} created, ${summary.update} updated, ${summary.adopt} adopted, ${summary.delete} deleted; ${summary.unchanged} unchanged.`;

function planSummary(plan: Plan): string {
  const { summary } = plan;
  if (changeCount(plan) === 0) return `Nothing to do: ${summary.unchanged} unchanged.`;
  return `Plan: ${summary.create} to create, ${summary.update} to update, ${summary.adopt} to adopt, ${summary.delete} to delete; ${summary.unchanged} unchanged.`;
}

function changeLines({ action, resource, key, id, fields = [] }: PlannedChange, paint: Paint): string[] {
  const [sign, colour] = SIGNS[action] ?? ['?', 'faint'];
  const adopted = action === 'adopt' && id !== null ? `  (${id})` : '';
  const title = paint(colour, `${sign} ${resource.replaceAll('_', ' ')} ${shown(key)}${adopted}`);
  // All fields of a created or deleted resource are already in the document or the API.
  if (action === 'create' || action === 'delete') return [title];
  const [only, ...others] = fields.map(
    ({ pointer, before, after }) => [nameOf(pointer), changeOf(before, after)] as const,
  );
  if (!only) return [title];
  if (others.length === 0) return [`${title}  ${only.join(' ')}`];
  const all = [only, ...others];
  const width = Math.max(...all.map(([name]) => name.length));
  return [title, ...all.map(([name, change]) => `    ${name.padEnd(width)}  ${change}`)];
}

const noteLines = ({ notes }: Plan, paint: Paint): string[] =>
  notes.map(({ key, message }) =>
    paint('faint', `Note: ${key === null ? '' : `${shown(key)}: `}${shown(message, 500)}`),
  );

/** Converts a pointer such as `/config/webhook_url` to `config.webhook_url`. */
const nameOf = (pointer: string): string =>
  shown(pointer.replace(/^\//, '').replaceAll('/', '.').replaceAll('~1', '/').replaceAll('~0', '~'));

/** Returns the change to a field. For secrets, only the fact that the value changes is known. */
function changeOf(before: unknown, after: unknown): string {
  if (after === CHANGED) return CHANGED;
  return `${valueOf(before)} → ${valueOf(after)}`;
}

const CHANGED = '(changed)';

function valueOf(value: unknown): string {
  if (value === undefined || value === null) return 'none';
  return shown(JSON.stringify(value), 100);
}
