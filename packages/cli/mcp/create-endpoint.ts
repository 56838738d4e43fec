import { z } from 'zod';
import { ENDPOINT_BOUNDS } from '../endpoint-bounds';
import { TargetType, TargetUrl, targetType } from './check-tools';
import { CHANGE, read } from './read-response';
import { findWebsite, WebsiteReference } from './reference';
import { tool } from './tool';
import { EndpointView } from './views';

const Heartbeat = z.strictObject({
  every_seconds: z.int().min(60).max(31_536_000).optional().describe('Seconds from one ping to the next.'),
  cron: z.string().min(1).max(200).optional().describe('Five fields, such as 30 2 * * *.'),
  timezone: z.string().min(1).max(64).optional().describe('The time zone of cron, such as Europe/Berlin.'),
  grace_seconds: z
    .int()
    .min(0)
    .max(31_536_000)
    .optional()
    .describe('How late a ping may be. The default is a tenth of the period.'),
});

const Name = z.string().min(1).max(255);

const MadeEndpoint = EndpointView.extend({ heartbeat: z.object({ ping_url: z.string().nullable() }).nullable() });

const waitingFor = ({ every_seconds: every, grace_seconds: grace, ...cron }: z.infer<typeof Heartbeat>) => ({
  type: 'HEARTBEAT' as const,
  heartbeat: { ...cron, every, grace },
});

export const createEndpoint = tool({
  name: 'create_endpoint',
  title: 'Create an endpoint',
  description:
    'Starts monitoring a target. The first check runs immediately, then one check runs per interval. The endpoint gets an alert through each default contact unless alerts is false. Test the target with test_target first. With heartbeat instead of url, the endpoint waits for the pings of a job and is down if a ping does not arrive. An endpoint belongs to a website: give an existing website or a new one.',
  role: 'write',
  hints: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: true },
  input: z
    .strictObject({
      website: WebsiteReference.optional(),
      new_website: z
        .strictObject({ name: Name, url: z.string().min(1).max(2048).describe('http or https') })
        .optional()
        .describe('A website to create together with the endpoint, instead of an existing one.'),
      name: Name.describe('The display name.'),
      url: TargetUrl.optional(),
      type: TargetType,
      heartbeat: Heartbeat.optional().describe(
        'When a job must ping: either every_seconds, or cron with timezone. Use it instead of url.',
      ),
      interval_seconds: z
        .int()
        .min(ENDPOINT_BOUNDS.interval.minimum)
        .max(ENDPOINT_BOUNDS.interval.maximum)
        .optional()
        .describe('Seconds from one check to the next. The default is 60.'),
      timeout_seconds: z
        .int()
        .min(ENDPOINT_BOUNDS.timeout.minimum)
        .max(ENDPOINT_BOUNDS.timeout.maximum)
        .optional()
        .describe('The maximum duration of a check.'),
      certificate_warn_days: z
        .int()
        .min(ENDPOINT_BOUNDS.warnDays.minimum)
        .max(ENDPOINT_BOUNDS.warnDays.maximum)
        .nullish()
        .describe(
          'Days before the certificate expires at which the endpoint becomes degraded and a notification is sent. null: never. If absent, the default for new endpoints applies.',
        ),
      locations: z
        .array(z.string().min(1).max(71))
        .min(1)
        .max(10)
        .optional()
        .describe(
          'Locations to check from: local, keys of probes, or shared/ and the key of a shared probe. The default is local.',
        ),
      quorum: z
        .union([z.enum(['majority', 'any', 'all']), z.int().min(1).max(10)])
        .optional()
        .describe('How many locations must report the endpoint as down. The default is majority.'),
      tags: z
        .array(z.string().min(1).max(100))
        .max(20)
        .optional()
        .describe('Labels for finding and filtering endpoints.'),
      key: z.string().min(1).max(64).optional().describe('A name for configuration files, unique within the website.'),
      alerts: z.boolean().default(true).describe('false: create no alerts through the default contacts.'),
    })
    .refine(({ website, new_website }) => (website === undefined) !== (new_website === undefined), {
      message: 'Give either website or new_website.',
    })
    .refine(({ url, heartbeat }) => (url === undefined) !== (heartbeat === undefined), {
      message: 'Give either url or heartbeat.',
    }),
  output: z.object({
    endpoint: EndpointView,
    ping_url: z
      .string()
      .nullable()
      .describe(
        'For a heartbeat, the URL that the job pings. It is a secret. null if the service does not know its own URL, and for other endpoints.',
      ),
  }),
  async run(
    {
      website,
      new_website,
      alerts,
      url,
      type,
      interval_seconds,
      timeout_seconds,
      heartbeat,
      certificate_warn_days: days,
      ...rest
    },
    uptime,
  ) {
    const query = { alerts: alerts ? undefined : ('none' as const) };
    const tls = days === undefined ? {} : { tls: { warn_days: days } };
    const fields = { interval: interval_seconds, timeout: timeout_seconds, ...tls };
    const target = heartbeat ? waitingFor(heartbeat) : { url, type: targetType(type, url ?? '') };
    const wanted = { ...rest, ...fields, ...target };
    const { heartbeat: made, ...endpoint } = await (new_website ? withWebsite(new_website) : ofWebsite(website ?? ''));
    const then = heartbeat ? 'It is waiting for its first ping' : 'Its first check runs now';
    return { text: `Created ${endpoint.id}. ${then}.`, data: { endpoint, ping_url: made?.ping_url ?? null } };

    async function ofWebsite(reference: string) {
      const { id: websiteId } = (await findWebsite(uptime, reference)).website;
      return read(MadeEndpoint, await uptime.createEndpoint({ path: { websiteId }, query, body: wanted }, CHANGE));
    }

    async function withWebsite(site: { name: string; url: string }) {
      const body = { ...site, endpoints: [wanted] };
      const Made = z.object({ endpoints: z.tuple([MadeEndpoint]) });
      return read(Made, await uptime.createWebsite({ query, body }, CHANGE)).endpoints[0];
    }
  },
});
