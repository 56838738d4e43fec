import { z } from 'zod';
import { readPages, serviceTime } from './read-response';
import { WebsiteReference, findWebsite } from './reference';
import { LOOKS, tool } from './tool';
import { OverviewView } from './views';

const SOON_DAYS = 14;
const DAY_MS = 86_400_000;

type Overview = z.output<typeof OverviewView>;

/** The reasons why an endpoint needs attention, from most to least severe. */
const REASONS = ['down', 'alert_open', 'degraded', 'unknown', 'certificate_expires_soon'] as const;
type Reason = (typeof REASONS)[number];

export const overview = tool({
  name: 'overview',
  title: 'Overview',
  description:
    'Shows the current state: how many endpoints are up, down, unknown, or paused, and which ones need attention (down, alert open, degraded, unknown, certificate that expires within 14 days), the worst first.',
  role: 'read',
  hints: LOOKS,
  input: z.strictObject({
    website: WebsiteReference.optional().describe('Only this website, by its ID (ws_…), key, or exact name.'),
    tag: z.string().min(1).max(100).optional().describe('Only endpoints that have this tag.'),
    limit: z.int().min(1).max(100).default(25).describe('The maximum number of endpoints that need attention to list.'),
  }),
  output: z.object({
    endpoints: z.number().describe('the number of endpoints that were counted'),
    is_whole: z
      .boolean()
      .describe('false: there are more endpoints than were counted; narrow the request by website or tag'),
    up: z.number(),
    down: z.number(),
    unknown: z.number(),
    paused: z.number(),
    degraded: z.number().describe('the number of endpoints that are up but degraded'),
    alerts_open: z.number().describe('the number of endpoints with a triggered alert'),
    in_maintenance: z.number(),
    needs_attention: z.array(OverviewView.extend({ reasons: z.array(z.enum(REASONS)) })),
    needs_attention_omitted: z
      .number()
      .describe('how many more need attention; use a larger limit or list_endpoints to see them'),
  }),
  async run({ website, tag, limit }, uptime) {
    const website_id = website === undefined ? undefined : (await findWebsite(uptime, website)).website.id;
    const search = (page: object) => uptime.getOverview.withResponse({ query: { ...page, website_id, tag } });
    const { items, isWhole, headers } = await readPages(OverviewView, search);
    const now = serviceTime(headers);
    const attention = items
      .map((endpoint) => ({ ...endpoint, reasons: reasonsOf(endpoint, now) }))
      .filter(({ reasons }) => reasons.length > 0)
      .sort((a, b) => urgency(a.reasons) - urgency(b.reasons));
    const count = (is: (endpoint: Overview) => boolean) => items.filter(is).length;
    const listed = attention.slice(0, limit);
    const data = {
      endpoints: items.length,
      is_whole: isWhole,
      up: count(({ status }) => status === 'up'),
      down: count(({ status }) => status === 'down'),
      unknown: count(({ status }) => status === 'unknown'),
      paused: count(({ status }) => status === 'paused'),
      degraded: count(({ degraded }) => degraded),
      alerts_open: count(({ alert_open }) => alert_open),
      in_maintenance: count(({ maintenance }) => maintenance !== null),
      needs_attention: listed,
      needs_attention_omitted: attention.length - listed.length,
    };
    const text = `${data.endpoints} endpoints: ${data.up} up, ${data.down} down, ${data.unknown} unknown, ${data.paused} paused; ${attention.length} need attention.`;
    return { text, data };
  },
});

/**
 * Returns the reasons why an endpoint needs attention, from most to least severe. Paused endpoints never need
 * attention.
 */
export function reasonsOf(endpoint: Overview, now: Date): Reason[] {
  if (endpoint.status === 'paused') return [];
  const end = endpoint.certificate_expires_at;
  const holds: Readonly<Record<Reason, boolean>> = {
    down: endpoint.status === 'down',
    alert_open: endpoint.alert_open,
    degraded: endpoint.degraded,
    unknown: endpoint.status === 'unknown',
    certificate_expires_soon: end !== null && Date.parse(end) - now.getTime() < SOON_DAYS * DAY_MS,
  };
  return REASONS.filter((reason) => holds[reason]);
}

const urgency = ([worst]: readonly Reason[]): number => (worst === undefined ? REASONS.length : REASONS.indexOf(worst));
