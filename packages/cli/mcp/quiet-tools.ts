import { z } from 'zod';
import { CHANGE, read, serviceTime } from './read-response';
import { EndpointReference, findEndpoint, findWebsite, WebsiteReference } from './reference';
import { tool } from './tool';
import { AcknowledgementView, WindowView } from './views';

const MINUTE_MS = 60_000;
const WEEK_MINUTES = 7 * 24 * 60;

const inMinutes = (from: Date, minutes: number): string => new Date(from.getTime() + minutes * MINUTE_MS).toISOString();

export const acknowledge = tool({
  name: 'acknowledge',
  title: 'Acknowledge an endpoint',
  description:
    'Acknowledges the open incident of an endpoint. Its alerts do not trigger until the endpoint has recovered. Pagers are updated. Replaces the existing acknowledgement. Refused if the endpoint is not down and has no triggered alert.',
  role: 'responder',
  hints: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: true },
  input: z.strictObject({
    endpoint: EndpointReference,
    note: z.string().max(1000).default('').describe('A note for your team, such as who is working on it.'),
    minutes: z
      .int()
      .min(1)
      .max(WEEK_MINUTES)
      .optional()
      .describe('The maximum duration of the acknowledgement. Without it, it lasts until the endpoint has recovered.'),
  }),
  output: z.object({ endpoint_id: z.string(), acknowledgement: AcknowledgementView }),
  async run({ endpoint: reference, note, minutes }, uptime) {
    const { endpoint, headers } = await findEndpoint(uptime, reference);
    const until = minutes === undefined ? null : inMinutes(serviceTime(headers), minutes);
    const { id } = endpoint;
    const acknowledged = await uptime.acknowledge({ path: { id }, body: { note, until } }, CHANGE);
    const acknowledgement = read(AcknowledgementView, acknowledged);
    return { text: `Acknowledged ${id}.`, data: { endpoint_id: id, acknowledgement } };
  },
});

/** Creates a maintenance window that starts now. */
export const mute = tool({
  name: 'mute',
  title: 'Mute an endpoint or a website',
  description:
    'Starts a maintenance window for one endpoint or one website now. It ends automatically after the given number of minutes. Checks continue, but alerts do not trigger. Use it for planned work. For a failure that someone is working on, use acknowledge.',
  role: 'responder',
  hints: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false },
  input: z
    .strictObject({
      endpoint: EndpointReference.optional(),
      website: WebsiteReference.optional(),
      minutes: z.int().min(1).max(WEEK_MINUTES).describe('The length of the window.'),
      reason: z.string().min(1).max(255).describe('A description of the work, used as the name of the window.'),
      exclude_from_uptime: z
        .boolean()
        .default(false)
        .describe('true: checks in the window count neither as up nor as down. Only for announced work.'),
      public: z.boolean().default(false).describe('true: show the window on status pages.'),
    })
    .refine(({ endpoint, website }) => (endpoint === undefined) !== (website === undefined), {
      message: 'Give either endpoint or website.',
    }),
  output: z.object({ window: WindowView }),
  async run({ endpoint, website, minutes, reason, ...settings }, uptime) {
    const { scope, headers } = await scopeOf();
    const now = serviceTime(headers);
    const times = { starts_at: now.toISOString(), ends_at: inMinutes(now, minutes) };
    const body = { name: reason, scope, ...times, mute: true, ...settings };
    const window = read(WindowView, await uptime.createMaintenanceWindow({ body }, CHANGE));
    return { text: `Muted for ${minutes} minutes with the window ${window.id}.`, data: { window } };

    async function scopeOf() {
      if (endpoint === undefined) {
        const found = await findWebsite(uptime, website ?? '');
        return { scope: { website_ids: [found.website.id] }, headers: found.headers };
      }
      const found = await findEndpoint(uptime, endpoint);
      return { scope: { endpoint_ids: [found.endpoint.id] }, headers: found.headers };
    }
  },
});
