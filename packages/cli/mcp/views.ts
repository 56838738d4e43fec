import { z } from 'zod';

/**
 * The views that tools return. Each schema reads an API response and drops fields that it doesn't list. Enumerations
 * such as the status are plain strings here, so that later versions of the service can add values.
 */

const text = z.string();
const time = z.string().describe('ISO 8601, UTC');
const share = z.number().nullable().describe('0 to 1; null if there is no data yet');

const Failure = z.object({ code: text, message: text });

const Maintenance = z.object({ id: text, name: text, until: time, mute: z.boolean() });

/** When a job must ping. Ping URLs are left out because they are secret. */
const Heartbeat = z.object({
  every: z.number().nullable().describe('seconds from one ping to the next; null with cron'),
  cron: text.nullable(),
  timezone: text.nullable(),
  grace: z.number().describe('seconds after the expected time until a ping is late'),
  max_runtime: z.number().nullable(),
  last_ping_at: time.nullable(),
  next_expected_at: time.nullable(),
  late_at: time.nullable(),
  running_since: time.nullable(),
});

export const AcknowledgementView = z.object({ by: text.nullable(), at: time, note: text, until: time.nullable() });

export const EndpointView = z.object({
  id: text,
  name: text,
  url: text,
  type: text,
  key: text.nullable(),
  website_id: text,
  group: text.describe('the name of the website'),
  enabled: z.boolean(),
  interval: z.number().nullable().describe('seconds; null for a heartbeat, which waits for pings'),
  tags: z.array(text),
  locations: z.array(text).describe('the locations that check it; local is the service itself'),
  status: text.describe('up, down, unknown, or paused'),
  degraded: z.boolean().describe('up, but an assertion of severity warning fails'),
  maintenance: Maintenance.nullable(),
  acknowledgement: AcknowledgementView.nullable(),
  last_checked_at: time.nullable(),
});

/** An endpoint with its check settings. */
export const EndpointDetail = EndpointView.extend({
  timeout: z.number().nullable().describe('seconds'),
  depends_on: z
    .array(text)
    .describe('IDs of endpoints; while one of them is down, no notifications are sent for this endpoint'),
  assertions: z
    .array(
      z.object({
        source: text,
        property: text.nullish(),
        comparison: text,
        target: text,
        severity: text.nullish(),
      }),
    )
    .nullable(),
  quorum: z
    .union([text, z.number()])
    .describe('how many locations must report it as down: majority, any, all, or a number'),
  by_location: z
    .array(
      z.object({
        location: text,
        status: text,
        since: time.nullable(),
        last_checked_at: time.nullable(),
        counts: z.boolean().describe('whether this result counts toward the status of the endpoint'),
        reason: text.nullable().describe('why it does not count: disabled, unsupported, missing, or stale'),
        error: z.object({ code: text, message: text }).nullable(),
      }),
    )
    .nullable()
    .describe('the result of each location; null if the endpoint is checked only from local'),
  heartbeat: Heartbeat.nullable().describe('for an endpoint that waits for pings of a job; null for others'),
});

/** A ping from a job, without the client's IP address. */
export const PingView = z.object({
  created_at: time,
  kind: text.describe('success, start, fail, or log'),
  duration_ms: z.number().nullable().describe('since the start of the run; null if no start was reported'),
  exit_code: z.number().nullable(),
  body: text.nullable().describe('the first part of the job output; masked for read keys'),
});

export const CheckView = z.object({
  outcome: text.describe('up, down, or unknown (the monitor could not determine the state)'),
  location: text.nullable().describe('the location of the check: local (the service itself) or a probe'),
  combined_outcome: text
    .nullable()
    .describe(
      'the result that counted; with several locations, their combined result; null if the check arrived too late',
    ),
  checked_at: time,
  duration_ms: z.number().nullable(),
  status_code: z.number().nullable(),
  address: text.nullable(),
  error: Failure.nullable(),
  warning: Failure.nullable(),
  degraded: z.boolean(),
  planned: z.boolean().describe('during maintenance that does not count toward uptime'),
  certificate: z.object({ expires_at: time, issuer: text, subject: text }).nullable(),
});

export const UptimeView = z.object({
  from: time,
  to: time,
  uptime: share,
  checks: z.number(),
  failures: z.number(),
  outage_count: z.number(),
  downtime_seconds: z.number(),
  outages: z.array(
    z.object({
      started_at: time,
      ended_at: time.nullable(),
      duration_seconds: z.number(),
      planned: z.boolean(),
      error: Failure.nullable(),
    }),
  ),
});

/** An alert, without its channel config. */
export const AlertView = z.object({
  id: text,
  type: text,
  enabled: z.boolean(),
  triggered: z.boolean(),
  condition: text,
  failure_threshold: z.number(),
  destination: text.nullable().describe('where it sends notifications, without secrets'),
  last_delivery: z.object({ state: text, at: time, error: text.nullable() }).nullable(),
});

export const OverviewView = z.object({
  id: text,
  name: text,
  url: text,
  type: text,
  website: z.object({ id: text, name: text }),
  status: text,
  degraded: z.boolean(),
  maintenance: Maintenance.nullable(),
  acknowledgement: AcknowledgementView.nullable(),
  status_since: time.nullable(),
  last_checked_at: time.nullable(),
  last_error: text.nullable(),
  uptime_24h: share,
  certificate_expires_at: time.nullable(),
  alert_open: z.boolean(),
});

/** A probe, without its IP address. */
export const ProbeView = z.object({
  id: text,
  key: text,
  name: text,
  region: text,
  shared: z.boolean().describe('the operator shares it with all organizations'),
  status: text.describe('new, online, offline, disabled, or unsupported'),
  status_since: time,
  last_seen_at: time.nullable(),
  version: text.nullable(),
  types: z.array(text).nullable().describe('types of endpoints that it can check; null until it has connected once'),
  clock_offset_ms: z.number().nullable(),
  buffered: z.number().nullable().describe('results that it has not delivered yet'),
  dropped: z.number().nullable().describe('results that it discarded'),
  skipped: z.number().nullable().describe('checks that it skipped because it was too busy'),
  endpoint_count: z.number(),
});

export const WebsiteView = z.object({ id: text, name: text, url: text, key: text.nullable() });

export const WindowView = z.object({
  id: text,
  name: text,
  starts_at: time.nullable(),
  ends_at: time.nullable(),
  mute: z.boolean(),
  exclude_from_uptime: z.boolean(),
  status: text,
});

export const IncidentView = z.object({
  id: text,
  number: z.number(),
  kind: text.describe('detected (by alerts) or manual'),
  severity: text.nullable(),
  state: text.describe('open, ended, or merged'),
  status: text.nullable().describe('the most recent status; null if none has been set'),
  title: text.nullable(),
  summary: text.nullable(),
  cause: z.object({ kind: text, value: text.nullable() }).nullable(),
  started_at: time,
  ended_at: time.nullable(),
  reopen_count: z.number(),
  endpoint_count: z.number(),
  open_count: z.number().describe('the number of endpoints that are still failing'),
  public: z.boolean().describe('shown on status pages'),
  acknowledgement: AcknowledgementView.nullable(),
});

export const IncidentEndpointView = z.object({
  endpoint_id: text,
  endpoint_name: text,
  website_name: text,
  started_at: time,
  ended_at: time.nullable(),
  error: Failure.nullable(),
  suppressed: z.boolean().describe('true: no notifications were sent for it, because the incident was acknowledged'),
});

export const IncidentUpdateView = z.object({
  id: text,
  at: time,
  by: text.nullable(),
  status: text.nullable(),
  text,
  public: z.boolean(),
  automatic: z.boolean(),
});

/** The response to a plan or apply request. */
export const PlanView = z.object({
  summary: z.object({
    create: z.number(),
    update: z.number(),
    adopt: z.number(),
    delete: z.number(),
    unchanged: z.number(),
  }),
  changes: z.array(
    z.object({
      action: text,
      resource: text,
      key: text,
      id: text.nullable(),
      fields: z.array(z.object({ pointer: text, before: z.unknown().optional(), after: z.unknown().optional() })),
    }),
  ),
  notes: z.array(z.object({ key: text.nullable(), message: text })),
});

/** The organization that the API key belongs to. */
export const OrganizationView = z.object({ name: text, key_name: text, role: text });
