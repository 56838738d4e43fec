import { z } from 'zod';
import type { IncidentDetail, UptimeClient } from '../../client/index.cjs';
import { findIncident } from '../incident/incident-reference';
import { CHANGE, read } from './read-response';
import { EndpointReference, findEndpoint, findWebsite, WebsiteReference } from './reference';
import { InputError, LOOKS, tool } from './tool';
import { IncidentEndpointView, IncidentUpdateView, IncidentView } from './views';

const MOST_ENDPOINTS = 30;
const MOST_UPDATES = 20;

const IncidentReference = z
  .string()
  .min(1)
  .max(40)
  .describe('The incident, by its number (12) or ID (inc_…), from list_incidents.');

/** Throws: `InputError` if the incident does not exist. */
async function incidentOf(uptime: UptimeClient, reference: string): Promise<IncidentDetail> {
  const found = await findIncident(uptime, reference);
  if (found) return found;
  throw new InputError('unclear_reference', 'No incident has that number or ID. list_incidents shows all incidents.');
}

export const listIncidents = tool({
  name: 'list_incidents',
  title: 'List incidents',
  description:
    'Lists incidents, newest first: groups of endpoints that went down together, with their updates. Filters can be combined. Pass next_cursor to get the next page.',
  role: 'read',
  hints: LOOKS,
  input: z.strictObject({
    state: z
      .enum(['open', 'ended', 'merged'])
      .optional()
      .describe('Only incidents in this state. The default is open and ended incidents.'),
    endpoint: EndpointReference.optional(),
    website: WebsiteReference.optional(),
    limit: z.int().min(1).max(100).default(25).describe('The maximum number of incidents to return.'),
    cursor: z.string().min(1).max(500).optional().describe('next_cursor of the previous page, with the same filters.'),
  }),
  output: z.object({
    incidents: z.array(IncidentView),
    total: z.number().nullable().describe('how many match in total; null if there are too many to count'),
    next_cursor: z.string().nullable().describe('null on the last page'),
  }),
  async run({ endpoint, website, ...filters }, uptime) {
    const endpoint_id = endpoint === undefined ? undefined : (await findEndpoint(uptime, endpoint)).endpoint.id;
    const website_id = website === undefined ? undefined : (await findWebsite(uptime, website)).website.id;
    const { data, headers } = await uptime.listIncidents.withResponse({
      query: { ...filters, endpoint_id, website_id },
    });
    const incidents = read(z.array(IncidentView), data);
    const { xNextCursor: next = null, xTotalCount: total = null } = headers;
    const open = incidents.filter(({ state }) => state === 'open').length;
    const more = next === null ? '' : ' There are more: pass next_cursor to get them.';
    return {
      text: `${incidents.length} incidents, ${open} of them open.${more}`,
      data: { incidents, total, next_cursor: next },
    };
  },
});

export const explainIncident = tool({
  name: 'explain_incident',
  title: 'Explain an incident',
  description:
    'Explains one incident in one call: why its endpoints form one incident, which of them are still failing and with which error, who acknowledged it, and its updates. Titles, notes, and updates are written by other people.',
  role: 'read',
  hints: LOOKS,
  input: z.strictObject({ incident: IncidentReference }),
  output: z.object({
    incident: IncidentView,
    endpoints: z.array(IncidentEndpointView).describe('endpoints that are still failing first'),
    endpoints_omitted: z.number(),
    updates: z.array(IncidentUpdateView).describe('newest first'),
    updates_omitted: z.number(),
  }),
  async run({ incident: reference }, uptime) {
    const found = await incidentOf(uptime, reference);
    const incident = read(IncidentView, found);
    const endpoints = read(z.array(IncidentEndpointView), found.endpoints.slice(0, MOST_ENDPOINTS));
    const updates = read(z.array(IncidentUpdateView), found.updates.slice(0, MOST_UPDATES));
    const data = {
      incident,
      endpoints,
      endpoints_omitted: incident.endpoint_count - endpoints.length,
      updates,
      updates_omitted: found.updates.length - updates.length,
    };
    const { id, state, open_count: open, endpoint_count: all } = incident;
    const shown = KNOWN.has(state) ? state : 'in another state';
    return {
      text: `${id} is ${shown}; ${open} of ${all} endpoints are failing, ${found.updates.length} updates.`,
      data,
    };
  },
});

const KNOWN: ReadonlySet<string> = new Set(['open', 'ended', 'merged']);

export const postIncidentUpdate = tool({
  name: 'post_incident_update',
  title: 'Post an incident update',
  description:
    'Posts an update about an incident. By default only the organization can see it. With public: true, customers see it on status pages immediately, and this cannot be undone. Set public only if the user has asked for a public update and has seen the text. Refused: resolved while an endpoint is failing, postmortem before the incident has ended, any other status after it has ended.',
  role: 'responder',
  hints: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true },
  input: z.strictObject({
    incident: IncidentReference,
    text: z.string().min(1).max(5000).describe('The text of the update: plain text. Line breaks are kept.'),
    status: z
      .enum(['investigating', 'identified', 'monitoring', 'resolved', 'postmortem'])
      .optional()
      .describe('The new status of the incident. Without it, the status does not change.'),
    public: z
      .boolean()
      .default(false)
      .describe('true: show the update on status pages. Only if the user asked for that.'),
  }),
  output: z.object({ incident_id: z.string(), update: IncidentUpdateView }),
  async run({ incident: reference, status, ...said }, uptime) {
    const { id } = await incidentOf(uptime, reference);
    const body = { ...said, ...(status && { status }) };
    const update = read(IncidentUpdateView, await uptime.createIncidentUpdate({ path: { id }, body }, CHANGE));
    const readers = update.public ? 'Customers see it on status pages' : 'Only the organization sees it';
    return { text: `Posted an update to ${id}. ${readers}.`, data: { incident_id: id, update } };
  },
});
