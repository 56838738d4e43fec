import { z } from 'zod';
import { read } from './read-response';
import { EndpointReference, findEndpoint } from './reference';
import { LOOKS, tool } from './tool';
import { AlertView, CheckView, EndpointDetail, PingView, UptimeView } from './views';

const MOST_OUTAGES = 10;
const MOST_ALERTS = 20;
const MOST_PINGS = 10;

export const explainEndpoint = tool({
  name: 'explain_endpoint',
  title: 'Explain an endpoint',
  description:
    'Explains the state of one endpoint in one call: its state and settings, newest checks with their errors, uptime and outages, certificate, and open alerts. For a heartbeat, also its newest pings.',
  role: 'read',
  hints: LOOKS,
  input: z.strictObject({
    endpoint: EndpointReference,
    checks: z.int().min(1).max(50).default(10).describe('The number of newest checks to return.'),
    window: z.enum(['24h', '7d', '30d', '90d']).default('7d').describe('The period for uptime and outages, up to now.'),
  }),
  output: z.object({
    endpoint: EndpointDetail,
    newest_checks: z.array(CheckView).describe('newest first'),
    newest_pings: z.array(PingView).nullable().describe('for a heartbeat, newest first; null for other endpoints'),
    certificate: CheckView.shape.certificate.describe('the certificate of the newest check that saw one'),
    uptime: UptimeView.describe('newest outages first'),
    outages_omitted: z.number(),
    open_alerts: z.array(AlertView),
    open_alerts_omitted: z.boolean(),
  }),
  async run({ endpoint: reference, checks: limit, window }, uptime) {
    const { id, type } = (await findEndpoint(uptime, reference)).endpoint;
    const pingsOf = async (of: { id: string }) =>
      type === 'HEARTBEAT'
        ? read(z.array(PingView), await uptime.listPings({ path: of, query: { limit: MOST_PINGS } }))
        : null;
    const path = { id };
    const alertsOf = { endpoint_id: id, triggered: true, limit: MOST_ALERTS };
    const [endpoint, checks, pings, uptimes, alerts] = await Promise.all([
      uptime.getEndpoint({ path }).then((response) => read(EndpointDetail, response)),
      uptime.listChecks({ path, query: { limit } }).then((response) => read(z.array(CheckView), response)),
      pingsOf(path),
      uptime.getUptime({ path, query: { window } }).then((response) => read(UptimeView, response)),
      uptime.listAlerts.withResponse({ query: alertsOf }),
    ]);
    const outages = uptimes.outages.slice(0, MOST_OUTAGES);
    const data = {
      endpoint,
      newest_checks: checks,
      newest_pings: pings,
      certificate: checks.find(({ certificate }) => certificate !== null)?.certificate ?? null,
      uptime: { ...uptimes, outages },
      outages_omitted: Math.max(0, uptimes.outage_count - outages.length),
      open_alerts: read(z.array(AlertView), alerts.data),
      open_alerts_omitted: alerts.headers.xNextCursor !== undefined,
    };
    const { status, degraded } = endpoint;
    const text = `${id} is ${KNOWN.has(status) ? status : 'in another state'}${degraded ? ', degraded' : ''}; ${data.open_alerts.length} open alerts, ${uptimes.outage_count} outages in ${window}.`;
    return { text, data };
  },
});

const KNOWN: ReadonlySet<string> = new Set(['up', 'down', 'unknown', 'paused']);
