import { z } from 'zod';
import { cut } from '../../../src/platform/text/text-limits';
import { APPLY_TIMEOUT_MS, PLAN_TIMEOUT_MS } from '../uptime/configuration-commands';
import { read } from './read-response';
import { LOOKS, tool } from './tool';
import { PlanView } from './views';

const MOST_CHANGES = 100;
const MOST_FIELDS = 20;
const MOST_NOTES = 20;
const MAX_VALUE_CHARACTERS = 200;
/** Larger documents should go through the command line instead. */
const MAX_DOCUMENT_CHARACTERS = 1_000_000;

const Prune = z
  .boolean()
  .default(false)
  .describe(
    'Also delete resources, with their history, that the owner of the document declared earlier and no longer declares.',
  );
const Document = z
  .string()
  .min(1)
  .max(MAX_DOCUMENT_CHARACTERS)
  .describe(
    'The whole configuration document, as YAML or JSON. Write a credential as {$secret: NAME}: it keeps the stored value. Only the user can set a new value, with the command uptime apply.',
  );

const Value = z.string().describe('as JSON, shortened if it is long; (changed) for a secret');
const Changes = z.object({
  summary: PlanView.shape.summary,
  changes: z.array(
    z.object({
      action: z.string().describe('create, update, adopt or delete'),
      resource: z.string(),
      key: z.string().describe('its key path'),
      id: z.string().nullable(),
      fields: z.array(z.object({ pointer: z.string(), before: Value, after: Value })),
      fields_omitted: z.number(),
    }),
  ),
  changes_omitted: z.number(),
  notes: PlanView.shape.notes.describe('other consequences, such as history that is deleted'),
  notes_omitted: z.number(),
});

type Plan = z.output<typeof PlanView>;

export const planConfiguration = tool({
  name: 'plan_configuration',
  title: 'Plan a configuration document',
  description:
    'Shows what applying a configuration document would change, and changes nothing. Show the plan to the user. apply_configuration needs the etag of the plan, with the same document and prune.',
  role: 'read',
  hints: LOOKS,
  input: z.strictObject({ document: Document, prune: Prune }),
  output: Changes.extend({
    etag: z.string().describe('identifies this plan for the current state; pass it to apply_configuration'),
  }),
  async run({ document: body, prune }, uptime) {
    const asked = { body, query: { prune: prune || undefined } };
    const { data, headers } = await uptime.planConfiguration.withResponse(asked, { timeoutMs: PLAN_TIMEOUT_MS });
    const plan = read(PlanView, data);
    const etag = (headers.etag ?? '').replaceAll('"', '');
    return { text: `Planned: ${summaryOf(plan)} Nothing was changed.`, data: { ...changesOf(plan), etag } };
  },
});

export const applyConfiguration = tool({
  name: 'apply_configuration',
  title: 'Apply a configuration document',
  description:
    'Applies a plan from plan_configuration, either all of it or nothing. It may create, change, and, with prune, delete resources. Takes the same document and prune, and the etag of the plan. Refused if the configuration has changed since the plan.',
  role: 'write',
  hints: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: true },
  input: z.strictObject({
    document: Document,
    prune: Prune,
    etag: z
      .string()
      .regex(/^"?[A-Za-z0-9_-]{10,100}"?$/)
      .describe('The etag that plan_configuration returned for this document.'),
  }),
  output: Changes,
  async run({ document: body, prune, etag }, uptime) {
    const headers = { 'If-Match': `"${etag.replaceAll('"', '')}"` };
    const asked = { body, query: { prune: prune || undefined }, headers };
    const plan = read(PlanView, await uptime.applyConfiguration(asked, { timeoutMs: APPLY_TIMEOUT_MS }));
    return { text: `Done: ${summaryOf(plan)}`, data: changesOf(plan) };
  },
});

const summaryOf = ({ summary }: Plan): string =>
  `${summary.create} create, ${summary.update} update, ${summary.adopt} adopt, ${summary.delete} delete; ${summary.unchanged} unchanged.`;

/**
 * Returns a plan of limited size. Deletions come first, so that truncation never hides one behind a harmless change.
 */
export function changesOf({ summary, changes, notes }: Plan): z.output<typeof Changes> {
  const isDeletion = ({ action }: { action: string }) => action === 'delete';
  const ordered = [...changes.filter(isDeletion), ...changes.filter((change) => !isDeletion(change))];
  return {
    summary,
    changes: ordered.slice(0, MOST_CHANGES).map(({ fields, ...change }) => ({
      ...change,
      fields: fields.slice(0, MOST_FIELDS).map(({ pointer, before, after }) => ({
        pointer,
        before: valueOf(before),
        after: valueOf(after),
      })),
      fields_omitted: Math.max(0, fields.length - MOST_FIELDS),
    })),
    changes_omitted: Math.max(0, changes.length - MOST_CHANGES),
    notes: notes.slice(0, MOST_NOTES),
    notes_omitted: Math.max(0, notes.length - MOST_NOTES),
  };
}

const valueOf = (value: unknown): string =>
  value === '(changed)' ? value : cut(JSON.stringify(value ?? null), MAX_VALUE_CHARACTERS);
