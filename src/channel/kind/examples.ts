import type { Notification, NotificationKind } from '../notification';

/** The kinds that a preview shows, in the order in which they occur. */
export const PREVIEWED_KINDS = [
  'triggered',
  'reminder',
  'acknowledged',
  'resolved',
  'expiry',
  'contact_failing',
  'digest',
  'test',
] as const satisfies readonly NotificationKind[];

type Example = Omit<Notification, 'kind'>;

const OUTAGE: Example = {
  id: 'ev_01jd4trigger0000000000000a',
  incidentId: 'inc_01jd4incident00000000000000',
  incidentKey: 'al_01jd4alert00000000000000000-7',
  triggerId: null,
  repeat: false,
  alert: { id: 'al_01jd4alert00000000000000000', description: 'Call the shop team.' },
  endpoint: {
    id: 'ep_01jd4endpoint0000000000000',
    name: 'Checkout API',
    url: 'https://shop.example.com/api/checkout',
    type: 'HTTPS',
  },
  website: { id: 'ws_01jd4website00000000000000', name: 'Shop', url: 'https://shop.example.com' },
  condition: 'down',
  isDegraded: false,
  reason: 'threshold',
  error: { code: 'connection_refused', message: 'connection refused' },
  failureCount: 3,
  successCount: 0,
  startedAt: '2026-11-20T12:01:33.000Z',
  createdAt: '2026-11-20T12:03:33.250Z',
  durationSeconds: null,
  check: { checkedAt: '2026-11-20T12:03:33.000Z', durationMs: 12.5, statusCode: null, address: '192.0.2.10' },
  digest: null,
};

const MEMBER = { kind: 'triggered', isDegraded: false, website: 'Shop', message: 'connection refused' } as const;

const NO_EVENT = { reason: null, error: null, failureCount: 0, startedAt: null, check: null } as const;

const CONTACT = { id: 'ct_01jd4contact0000000000000000', name: 'Operations' };

/** A made-up notification of each kind, for previews. Every text is fixed, so a preview is the same each time. */
const EXAMPLES: Readonly<Record<(typeof PREVIEWED_KINDS)[number], Notification>> = {
  triggered: { ...OUTAGE, kind: 'triggered' },
  reminder: {
    ...OUTAGE,
    kind: 'reminder',
    id: 'dl_01jd4reminder00000000000000',
    triggerId: OUTAGE.id,
    reason: null,
    createdAt: '2026-11-20T13:03:33.250Z',
    durationSeconds: 3720,
    ordinal: 1,
  },
  acknowledged: {
    ...OUTAGE,
    kind: 'acknowledged',
    triggerId: OUTAGE.id,
    reason: null,
    error: null,
    failureCount: 0,
    check: null,
    acknowledgement: { by: 'Ann', note: 'the switch is being replaced' },
  },
  resolved: {
    ...OUTAGE,
    kind: 'resolved',
    id: 'ev_01jd4resolve0000000000000b',
    triggerId: OUTAGE.id,
    error: null,
    failureCount: 0,
    successCount: 2,
    createdAt: '2026-11-20T12:13:36.000Z',
    durationSeconds: 723,
    check: { checkedAt: '2026-11-20T12:13:35.900Z', durationMs: 81.2, statusCode: 200, address: '192.0.2.10' },
  },
  expiry: {
    ...OUTAGE,
    ...NO_EVENT,
    kind: 'expiry',
    id: 'dl_01jd4expiry000000000000000',
    incidentKey: 'al_01jd4alert00000000000000000-certificate-2026-11-30T10:00:00.000Z',
    certificate: {
      subject: 'CN=shop.example.com',
      issuer: 'CN=R11, O=Let’s Encrypt, C=US',
      expiresAt: '2026-11-30T10:00:00.000Z',
      daysLeft: 9,
    },
  },
  contact_failing: {
    ...OUTAGE,
    ...NO_EVENT,
    kind: 'contact_failing',
    id: 'dl_01jd4failing00000000000000',
    incidentKey: 'ct_01jd4contact0000000000000000-failing-2026-11-13T09:12:00.000Z',
    contact: CONTACT,
    alert: { id: '', description: '' },
    endpoint: { id: '', name: '', url: '', type: '' },
    website: { id: '', name: '', url: '' },
    startedAt: '2026-11-13T09:12:00.000Z',
    createdAt: '2026-11-20T12:15:00.000Z',
    durationSeconds: 615_780,
    failing: { type: 'slack', attempts: 41, error: 'Slack answered 403: invalid_token' },
  },
  digest: {
    ...OUTAGE,
    kind: 'digest',
    digest: {
      triggered: 2,
      resolved: 1,
      members: [
        { ...MEMBER, endpoint: 'Checkout API' },
        { ...MEMBER, endpoint: 'Search API' },
        { ...MEMBER, kind: 'resolved', endpoint: 'Home page', message: 'back up after 3 min' },
      ],
    },
  },
  test: {
    ...OUTAGE,
    ...NO_EVENT,
    kind: 'test',
    id: 'dl_01jd4test000000000000000000',
    incidentKey: 'ct_01jd4contact0000000000000000-test-dl_01jd4test000000000000000000',
    contact: CONTACT,
    alert: { id: '', description: '' },
    endpoint: { id: '', name: '', url: '', type: '' },
    website: { id: '', name: '', url: '' },
  },
};

/** Returns a made-up notification with the links of a service at this URL, as it would be sent. */
export function exampleOf(kind: (typeof PREVIEWED_KINDS)[number], publicUrl: string): Notification {
  const { contact, endpoint } = EXAMPLES[kind];
  const page = contact ? `contacts/${contact.id}` : `endpoints/${endpoint.id}`;
  return { ...EXAMPLES[kind], links: { page: `${publicUrl}/#/${page}`, acknowledge: null } };
}
