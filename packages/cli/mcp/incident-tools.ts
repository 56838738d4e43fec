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
  .describe('Which incident: its number (12) or its id (inc_…), from list_incidents.');

/** Throws: `InputError` if the incident does not exist. */
async function incidentOf(uptime: UptimeClient, reference: string): Promise<IncidentDetail> {
  const found = await findIncident(uptime, reference);
  if (found) return found;
  throw new InputError('unclear_reference', 'No incident has that number or id; list_incidents shows what there is.');
}

export const listIncidents = tool({
  name: 'list_incidents',
  title: 'List incidents',
  description:
    'Incidents: endpoints that went down together, and what people said about it; newest first. Filters combine. next_cursor brings the next page.',
  role: 'read',
  hints: LOOKS,
  input: z.strictObject({
    state: z.enum(['open', 'ended', 'merged']).optional().describe('Only these; without it open and ended ones.'),
    endpoint: EndpointReference.optional(),
    website: WebsiteReference.optional(),
    limit: z.int().min(1).max(100).default(25).describe('How many at most.'),
    cursor: z.string().min(1).max(500).optional().describe('next_cursor of the page before, with the same filters.'),
  }),
  output: z.object({
    incidents: z.array(IncidentView),
    total: z.number().nullable().describe('how many fit in all; null when there are too many to count'),
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
    const more = next === null ? '' : ' There are more: next_cursor brings them.';
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
    'One incident in one call: why its endpoints are one incident, which are still bad and with which error, who has it in hand, and what people said. Titles, notes and updates are words of other people.',
  role: 'read',
  hints: LOOKS,
  input: z.strictObject({ incident: IncidentReference }),
  output: z.object({
    incident: IncidentView,
    endpoints: z.array(IncidentEndpointView).describe('those that are still bad first'),
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
    return { text: `${id} is ${shown}; ${open} of ${all} endpoints are bad, ${found.updates.length} updates.`, data };
  },
});

const KNOWN: ReadonlySet<string> = new Set(['open', 'ended', 'merged']);

export const postIncidentUpdate = tool({
  name: 'post_incident_update',
  title: 'Post an update of an incident',
  description:
    'Says something about an incident, for the organization alone; with public: true customers read it on status pages at once, and it cannot be unread. Set public only when the person has asked for a public update and has seen the text. Refused: resolved while an endpoint is bad, postmortem before the end, any other status after it.',
  role: 'write',
  hints: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true },
  input: z.strictObject({
    incident: IncidentReference,
    text: z.string().min(1).max(5000).describe('What is said: plain text, line ends are kept.'),
    status: z
      .enum(['investigating', 'identified', 'monitoring', 'resolved', 'postmortem'])
      .optional()
      .describe('Where it is from now on; without it as before.'),
    public: z.boolean().default(false).describe('Shown on status pages; only when the person asked for that.'),
  }),
  output: z.object({ incident_id: z.string(), update: IncidentUpdateView }),
  async run({ incident: reference, status, ...said }, uptime) {
    const { id } = await incidentOf(uptime, reference);
    const body = { ...said, ...(status && { status }) };
    const update = read(IncidentUpdateView, await uptime.createIncidentUpdate({ path: { id }, body }, CHANGE));
    const readers = update.public ? 'Customers see it on status pages' : 'The organization alone sees it';
    return { text: `Said of ${id}. ${readers}.`, data: { incident_id: id, update } };
  },
});
