import type { EndpointLocation } from '../../endpoint/locations/location.dto';
import { outcomeOf } from '../../endpoint/outcome-code';
import { formatId } from '../../platform/ids/id';
import { type Gauge, labelText, type Sample } from './exposition';

/** The columns in the endpoint_overview view that the metrics need. */
export interface ScrapedRow {
  id: string;
  external_key: string | null;
  name: string;
  website_name: string;
  type: string;
  tags: readonly string[];
  website_tags: readonly string[];
  active: boolean;
  status: number;
  is_degraded: boolean;
  alert_open: boolean;
  /** In seconds since the epoch. */
  certificate_expires: number | null;
  /** In seconds since the epoch. Set only for heartbeats. */
  last_ping: number | null;
  expected: number | null;
  /** In microseconds, or -1 if the latest check did not reach the phase. `null` before the first check. */
  last_dns_us: number | null;
  last_connect_us: number | null;
  last_tls_us: number | null;
  last_first_byte_us: number | null;
  last_transfer_us: number | null;
}

/** A scraped endpoint's state at one of its locations. */
export interface ScrapedLocation extends Pick<EndpointLocation, 'location' | 'status' | 'counts'> {
  /** The duration of the latest check in microseconds, or `null` if unknown. */
  readonly durationUs: number | null;
}

/** A probe that belongs to the organization or that the operator shares with it. */
export interface ScrapedProbe {
  readonly location: string;
  readonly online: boolean;
}

const PHASES = ['dns', 'connect', 'tls', 'first_byte', 'transfer'] as const;
const MICROSECONDS = 1_000_000;

/** An endpoint in the compact form that is kept in memory until the whole response is written. */
export interface ScrapedEndpoint {
  readonly labels: string;
  /** `null` if the state is unknown or the endpoint is paused. */
  readonly isUp: boolean | null;
  readonly isDegraded: boolean;
  readonly isTriggered: boolean;
  /** In seconds since the epoch. `null` for a paused endpoint, because it isn't checked. */
  readonly certificateExpires: number | null;
  /** In seconds since the epoch, or `null` if the endpoint isn't a heartbeat. */
  readonly lastPing: number | null;
  /** In seconds since the epoch. `null` while no ping is expected. */
  readonly expected: number | null;
  /** The duration of each phase in seconds, or `null` for a phase that was not reached. */
  readonly phases: readonly (number | null)[];
  /** Empty if the endpoint has only one location or is paused. */
  readonly locations: readonly ScrapedLocation[];
}

export function toScraped(row: ScrapedRow, locations: readonly ScrapedLocation[] = []): ScrapedEndpoint {
  const outcome = row.active ? outcomeOf(row.status) : 'unknown';
  return {
    labels: labelText({
      id: formatId('endpoint', row.id),
      key: row.external_key ?? '',
      name: row.name,
      website: row.website_name,
      type: row.type,
      tags: tagLabel(row),
    }),
    isUp: outcome === 'unknown' ? null : outcome === 'up',
    isDegraded: outcome === 'up' && row.is_degraded,
    isTriggered: row.alert_open,
    certificateExpires: row.active ? row.certificate_expires : null,
    lastPing: row.last_ping,
    expected: row.expected,
    locations: row.active ? locations : [],
    phases: outcome === 'unknown' ? [] : PHASES.map((phase) => secondsOf(row[`last_${phase}_us`])),
  };
}

/** Returns tags as `,a,b,`, so that a matcher can find a whole tag: `tags=~".*,a,.*"`. Includes the website's tags. */
function tagLabel({ tags, website_tags }: ScrapedRow): string {
  const all = website_tags.length === 0 ? tags : [...new Set([...tags, ...website_tags])].sort();
  return all.length === 0 ? '' : `,${all.join(',')},`;
}

const secondsOf = (us: number | null): number | null => (us === null || us < 0 ? null : us / MICROSECONDS);

const flag = (is: boolean): number => (is ? 1 : 0);

type Samples = (endpoint: ScrapedEndpoint) => Sample[];

const GAUGES: readonly (readonly [name: string, help: string, samples: Samples])[] = [
  [
    'uptime_endpoint_up',
    'Whether the newest check found the endpoint up (1) or down (0). No value while this is not known or the endpoint is paused.',
    ({ labels, isUp }) => (isUp === null ? [] : [{ labels, value: flag(isUp) }]),
  ],
  [
    'uptime_endpoint_location_up',
    'Whether a location reports the endpoint as up (1) or down (0). Only for endpoints with several locations. No value while the result of the location does not count.',
    ({ labels, locations }) =>
      locations.flatMap(({ location, status, counts }) =>
        counts ? [{ labels: `${labels},${labelText({ location })}`, value: flag(status === 'up') }] : [],
      ),
  ],
  [
    'uptime_endpoint_location_duration_seconds',
    'Duration of the newest check at a location, in seconds. Only for endpoints with several locations, and only while the result of the location counts.',
    ({ labels, locations }) =>
      locations.flatMap(({ location, counts, durationUs }) =>
        !counts || durationUs === null
          ? []
          : [{ labels: `${labels},${labelText({ location })}`, value: durationUs / MICROSECONDS }],
      ),
  ],
  [
    'uptime_endpoint_degraded',
    'Whether the endpoint is up while an assertion of severity warning fails (1) or not (0).',
    ({ labels, isUp, isDegraded }) => (isUp === null ? [] : [{ labels, value: flag(isDegraded) }]),
  ],
  [
    'uptime_endpoint_duration_seconds',
    'Duration of each phase that the newest check reached, in seconds. The phases add up to the duration of the check.',
    ({ labels, phases }) =>
      phases.flatMap((value, index) =>
        value === null ? [] : [{ labels: `${labels},phase="${PHASES[index] ?? ''}"`, value }],
      ),
  ],
  [
    'uptime_endpoint_certificate_expiry_timestamp_seconds',
    'When the certificate that was last seen by a check expires, in seconds since the epoch.',
    ({ labels, certificateExpires: value }) => (value === null ? [] : [{ labels, value }]),
  ],
  [
    'uptime_endpoint_last_ping_timestamp_seconds',
    'When the last ping of any kind was received, in seconds since the epoch. Only for heartbeats, after their first ping.',
    ({ labels, lastPing: value }) => (value === null ? [] : [{ labels, value }]),
  ],
  [
    'uptime_endpoint_expected_timestamp_seconds',
    'When the next run of the job is expected, in seconds since the epoch. The run is late after the grace period. Only for heartbeats, while a run is expected.',
    ({ labels, expected: value }) => (value === null ? [] : [{ labels, value }]),
  ],
  [
    'uptime_endpoint_alert_triggered',
    'Whether an alert of the endpoint is triggered (1) or not (0). Every endpoint has this gauge.',
    ({ labels, isTriggered }) => [{ labels, value: flag(isTriggered) }],
  ],
];

/** Yields all gauges for these endpoints and probes. Creates each one lazily. */
export function* endpointGauges(
  endpoints: readonly ScrapedEndpoint[],
  probes: readonly ScrapedProbe[] = [],
): Generator<Gauge> {
  for (const [name, help, samples] of GAUGES) yield { name, help, samples: samplesOf(endpoints, samples) };
  if (probes.length === 0) return;
  yield {
    name: 'uptime_probe_up',
    help: 'Whether a probe was seen within the last minute (1) or not (0).',
    samples: probes.map(({ location, online }) => ({ labels: labelText({ key: location }), value: flag(online) })),
  };
}

function* samplesOf(endpoints: readonly ScrapedEndpoint[], samples: Samples): Generator<Sample> {
  for (const endpoint of endpoints) yield* samples(endpoint);
}
