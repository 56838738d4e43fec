import { Database } from '../../src/platform/database/database';
import { formatId, newUuid, parseId } from '../../src/platform/ids/id';
import type { TestApp } from '../harness/app/app';

const [MINUTE, DAY] = [60_000, 86_400_000];

interface Member {
  name: string;
  /** Minutes ago. */
  from: number;
  to?: number;
  error: [code: string, message: string];
  held?: boolean;
}

interface Said {
  /** Minutes ago. */
  at: number;
  by: string | null;
  status: string | null;
  text: string;
  public?: boolean;
}

interface Sample {
  cause: 'single' | 'address' | 'website';
  value?: string;
  members: readonly Member[];
  said?: readonly Said[];
  acknowledgement?: { by: string; at: number; note: string };
  reopened?: number;
}

const REFUSED: Member['error'] = ['connection_refused', 'The connection to 198.51.100.24 port 443 was refused.'];
const STATUS: Member['error'] = ['status_unexpected', 'The status is 503; expected 200 to 299.'];
const DAYS = DAY / MINUTE;

/** Past incidents, and the one endpoint that is down in the showcase. */
const PAST: readonly Sample[] = [
  { cause: 'single', members: [{ name: 'Payments API', from: 9 * DAYS, to: 9 * DAYS - 47, error: STATUS }] },
  {
    cause: 'website',
    value: 'Example shop',
    members: [
      { name: 'Checkout', from: 3 * DAYS, to: 3 * DAYS - 12, error: STATUS },
      { name: 'Search', from: 3 * DAYS - 1, to: 3 * DAYS - 11, error: STATUS },
    ],
    said: [
      { at: 3 * DAYS - 12, by: null, status: 'resolved', text: 'It is over.', public: true },
      { at: 3 * DAYS - 4, by: 'On call', status: 'identified', text: 'A bad release; we roll it back.', public: true },
    ],
  },
  {
    cause: 'single',
    members: [{ name: 'Office uplink', from: 1500, to: 1496, error: ['icmp_timeout', 'No answer to the ping.'] }],
    reopened: 3,
  },
  { cause: 'single', members: [{ name: 'Payments API', from: 34, error: STATUS }] },
];

/** A failed load balancer: four endpoints of one address went down, and one of them has recovered. */
const OUTAGE: Sample = {
  cause: 'address',
  value: '198.51.100.24',
  members: [
    { name: 'REST v2', from: 23, error: REFUSED },
    { name: 'REST v1 (deprecated)', from: 23, error: REFUSED },
    { name: 'Webhooks', from: 22, error: REFUSED },
    { name: 'Storefront', from: 20, to: 6, error: REFUSED },
    { name: 'Search', from: 12, error: REFUSED, held: true },
  ],
  said: [
    {
      at: 5,
      by: 'On call',
      status: 'identified',
      text: 'The load balancer lost power. The second one takes over: https://wiki.example.com/lb',
      public: true,
    },
    { at: 11, by: 'Ada', status: null, text: 'Rack 4 is dark, the shop is still on the old balancer.' },
    { at: 19, by: 'On call', status: 'investigating', text: 'We are looking into it.', public: true },
  ],
  acknowledgement: { by: 'On call', at: 18, note: 'Driving to the data centre.' },
};

/** Adds the incidents of the showcase, with the events of its alerts. Returns their IDs by number, such as `#4`. */
export async function addIncidents(app: TestApp, ids: ReadonlyMap<string, string>): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  for (const [index, sample] of PAST.entries()) found.set(`#${index + 1}`, await add(app, ids, sample, index + 1));
  const database = app.app.get(Database);
  // An event belongs to the incident that contained its endpoint.
  await database.query(
    `UPDATE alert_event e SET incident_id = m.incident_id FROM incident_member m
      WHERE m.endpoint_id = e.endpoint_id AND e.created_at BETWEEN m.started_at - interval '1 minute'
        AND COALESCE(m.ended_at, now()) + interval '1 minute'`,
  );
  return found;
}

/** Adds another incident with several endpoints and its updates. Returns its ID. */
export async function addOutage(app: TestApp, ids: ReadonlyMap<string, string>): Promise<string> {
  const database = app.app.get(Database);
  const down = OUTAGE.members.flatMap(({ name, from, to }) => (to === undefined ? [{ name, from }] : []));
  for (const { name, from } of down)
    await database.query(
      `UPDATE endpoint_state s SET status = d.status, status_since = now() - $2 * interval '1 minute', last_error = d.last_error
         FROM endpoint_state d WHERE s.endpoint_id = $1 AND d.endpoint_id = $3`,
      [parseId('endpoint', ids.get(name)), from, parseId('endpoint', ids.get('Payments API'))],
    );
  return add(app, ids, OUTAGE, PAST.length + 1);
}

async function add(app: TestApp, ids: ReadonlyMap<string, string>, sample: Sample, number: number): Promise<string> {
  const database = app.app.get(Database);
  const now = Date.now();
  const before = (minutes: number) => new Date(now - minutes * MINUTE);
  const { members, said = [], acknowledgement: ack } = sample;
  const [first, last] = [members[0], members.at(-1)];
  const open = members.filter(({ to }) => to === undefined).length;
  const id = newUuid(before(first?.from ?? 0).getTime());
  const [endpoint] = await database.query<{ org_id: string }>('SELECT org_id FROM endpoint WHERE id = $1', [
    parseId('endpoint', ids.get(first?.name ?? '')),
  ]);
  const orgId = endpoint?.org_id;
  const shown = said.filter((each) => each.public);
  await database.query(
    `INSERT INTO incident_sequence (org_id, last) VALUES ($1, $2) ON CONFLICT (org_id) DO UPDATE SET last = $2`,
    [orgId, number],
  );
  await database.query(
    `INSERT INTO incident (id, org_id, number, kind, severity, cause, cause_value, cause_name, opener_endpoint_id, opener_address, opener_name,
                           opener_error_code, status, started_at, opened_at, joined_at, ended_at, endpoint_count, open_count, reopened,
                           public_at, ack_by, ack_at, ack_note, created_at, updated_at)
     VALUES ($1, $2, $3, 'detected', 'down', $4, $5, $6, $7, '198.51.100.24', $8, $9, $10, $11, $11, $12, $13, $14, $15, $16, $17, $18, $19,
             $20, $11, now())`,
    [
      id,
      orgId,
      number,
      sample.cause,
      sample.cause === 'website' ? parseId('website', ids.get(sample.value ?? '')) : (sample.value ?? null),
      sample.cause === 'website' ? sample.value : null,
      parseId('endpoint', ids.get(first?.name ?? '')),
      first?.name,
      first?.error[0],
      said.find(({ status }) => status !== null)?.status ?? null,
      before(first?.from ?? 0),
      before(last?.from ?? 0),
      open > 0 ? null : before(Math.min(...members.map(({ to }) => to ?? 0))),
      members.length,
      open,
      sample.reopened ?? 0,
      shown.length > 0 ? before(Math.max(...shown.map(({ at }) => at))) : null,
      ack?.by ?? null,
      ack ? before(ack.at) : null,
      ack?.note ?? null,
    ],
  );
  for (const { name, from, to, error, held } of members)
    await database.query(
      `INSERT INTO incident_member (incident_id, endpoint_id, org_id, website_id, endpoint_name, website_name, started_at, ended_at,
                                    error_code, error_message, held)
       SELECT $1, e.id, e.org_id, w.id, e.name, w.name, $3, $4, $5, $6, $7 FROM endpoint e JOIN website w ON w.id = e.website_id WHERE e.id = $2`,
      [
        id,
        parseId('endpoint', ids.get(name)),
        before(from),
        to === undefined ? null : before(to),
        error[0],
        error[1],
        held ?? false,
      ],
    );
  await database.query(
    `INSERT INTO incident_outage (incident_id, endpoint_id, started_at, ended_at, error_code, error_message)
     SELECT incident_id, endpoint_id, started_at, ended_at, error_code, error_message FROM incident_member WHERE incident_id = $1`,
    [id],
  );
  // Starts with the oldest, because an ID is never smaller than the one created before it.
  for (const { at, by, status, text, public: isPublic = false } of [...said].sort((a, b) => b.at - a.at))
    await database.query(
      `INSERT INTO incident_update (id, incident_id, org_id, at, by_name, status, text, public, automatic)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
      [newUuid(before(at).getTime()), id, orgId, before(at), by, status, text, isPublic, by === null],
    );
  return formatId('incident', id);
}
