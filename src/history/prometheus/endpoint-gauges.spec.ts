import { formatId } from '../../platform/ids/id';
import { endpointGauges, type ScrapedLocation, type ScrapedRow, toScraped } from './endpoint-gauges';

const UP: ScrapedRow = {
  id: '018f3f6e-1c1b-7a52-9d3e-0a6f6f0f5a11',
  external_key: 'checkout',
  name: 'Checkout',
  website_name: 'Shop',
  type: 'HTTPS',
  tags: ['web'],
  website_tags: [],
  active: true,
  status: 1,
  is_degraded: false,
  alert_open: false,
  certificate_expires: 1_800_000_000,
  last_ping: null,
  expected: null,
  last_dns_us: 1000,
  last_connect_us: 2500,
  last_tls_us: -1,
  last_first_byte_us: 0,
  last_transfer_us: 3,
};

/** Returns `name value` or `name phase value` per sample. */
const samplesOf = (change: Partial<ScrapedRow>, locations: readonly ScrapedLocation[] = []): string[] =>
  [...endpointGauges([toScraped({ ...UP, ...change }, locations)])].flatMap(({ name, samples }) =>
    [...samples].map(({ labels, value }) => {
      const phase = /(?:phase|location)="([\w/]+)"$/.exec(labels)?.[1];
      return `${name.replace('uptime_endpoint_', '')} ${phase === undefined ? '' : `${phase} `}${value}`;
    }),
  );

const DURATIONS = ['dns 0.001', 'connect 0.0025', 'first_byte 0', 'transfer 0.000003'].map(
  (phase) => `duration_seconds ${phase}`,
);
const EXPIRY = 'certificate_expiry_timestamp_seconds 1800000000';

describe('the gauges of an endpoint', () => {
  it('show what each location whose result counts reports, unless the endpoint is paused', () => {
    const locations: ScrapedLocation[] = [
      { location: 'local', status: 'up', counts: true, durationUs: 2500 },
      { location: 'shared/fra', status: 'down', counts: true, durationUs: null },
      { location: 'office', status: 'up', counts: false, durationUs: 7000 },
    ];
    const told = (change: Partial<ScrapedRow>) =>
      samplesOf(change, locations).filter((sample) => sample.startsWith('location_'));
    expect(told({})).toEqual([
      'location_up local 1',
      'location_up shared/fra 0',
      'location_duration_seconds local 0.0025',
    ]);
    expect(told({ active: false })).toEqual([]);
  });

  it('show whether each probe is responding, and do not exist without probes', () => {
    const probes = [
      { location: 'fra', online: true },
      { location: 'shared/use1', online: false },
    ];
    const gauge = [...endpointGauges([], probes)].find(({ name }) => name === 'uptime_probe_up');
    expect([...(gauge?.samples ?? [])]).toEqual([
      { labels: 'key="fra"', value: 1 },
      { labels: 'key="shared/use1"', value: 0 },
    ]);
    expect([...endpointGauges([])].map(({ name }) => name)).not.toContain('uptime_probe_up');
  });

  it.each<[string, Partial<ScrapedRow>, string[]]>([
    ['is up', {}, ['up 1', 'degraded 0', ...DURATIONS, EXPIRY, 'alert_triggered 0']],
    ['is degraded', { is_degraded: true }, ['up 1', 'degraded 1', ...DURATIONS, EXPIRY, 'alert_triggered 0']],
    [
      'is down, with an alert',
      { status: 0, is_degraded: true, alert_open: true },
      ['up 0', 'degraded 0', ...DURATIONS, EXPIRY, 'alert_triggered 1'],
    ],
    [
      'waits for pings',
      { status: 2, certificate_expires: null, last_ping: 1_800_000_000.5, expected: 1_800_003_600 },
      ['last_ping_timestamp_seconds 1800000000.5', 'expected_timestamp_seconds 1800003600', 'alert_triggered 0'],
    ],
    ['is unknown', { status: 2 }, [EXPIRY, 'alert_triggered 0']],
    ['is paused', { active: false }, ['alert_triggered 0']],
    [
      'was checked by an older version and has no certificate',
      {
        certificate_expires: null,
        last_dns_us: null,
        last_connect_us: null,
        last_tls_us: null,
        last_first_byte_us: null,
        last_transfer_us: null,
      },
      ['up 1', 'degraded 0', 'alert_triggered 0'],
    ],
  ])('show an endpoint that %s', (_, change, samples) => {
    expect(samplesOf(change)).toEqual(samples);
  });

  it.each<[string, Partial<ScrapedRow>, string]>([
    ['all values', {}, 'key="checkout",name="Checkout",website="Shop",type="HTTPS",tags=",web,"'],
    ['no key and no tags', { external_key: null, tags: [] }, 'name="Checkout",website="Shop",type="HTTPS"'],
    [
      'the tags of its website as well, each once and in order',
      { website_tags: ['prod', 'web', 'x'] },
      'key="checkout",name="Checkout",website="Shop",type="HTTPS",tags=",prod,web,x,"',
    ],
  ])('have labels with %s', (_, change, labels) => {
    expect(toScraped({ ...UP, ...change }).labels).toBe(`id="${formatId('endpoint', UP.id)}",${labels}`);
  });
});
