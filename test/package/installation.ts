import { Api } from '../../src/testing/service/api';

/** The key with which the page starts the service. */
const KEY = 'first-key-of-acme-0123456789';

/** The stored resources of a team, and the paths for reading them again. */
export type Stored = Readonly<Record<'website' | 'endpoint' | 'alert' | 'invoices' | 'entries', string>>;

/** The responses of those paths: status and content. */
export type Read = Readonly<Record<keyof Stored, { status: number; body: unknown }>>;

/** The visible output of a team's running service. */
export interface Shown {
  readonly log: string;
  readonly reference: { status: number; type: string };
  readonly document: { paths: Record<string, unknown>; text: string };
}

const api = (url: string): Api => new Api(url, KEY);

/** Stores one of everything in the extension: an endpoint of its type, an alert of its channel, an invoice. */
export async function store(url: string, matrix: string): Promise<Stored> {
  const made = async (path: string, body: object): Promise<string> => {
    const response = await api(url).post<{ id: string }>(path, body);
    if (response.status !== 201) throw new Error(`${path}: ${response.status} ${response.text}`);
    return response.body.id;
  };
  const website = await made('/websites', { name: 'Shop', url: 'https://shop.example.com' });
  const fields = { name: 'Cache', type: 'MEMCACHED', url: 'memcached://127.0.0.1:11211', interval: 3600 };
  const endpoint = await made(`/websites/${website}/endpoints`, fields);
  const config = { homeserver: matrix, access_token: 'syt_secret', room_id: '!ops:example.com' };
  const alert = await made('/alerts', { endpoint_id: endpoint, type: 'synapse', failure_threshold: 3, config });
  const invoice = await made('/invoices', { title: 'December', cents: 100 });
  return {
    website: `/websites/${website}`,
    endpoint: `/endpoints/${endpoint}`,
    alert: `/alerts/${alert}`,
    invoices: '/invoices',
    entries: `/audit-log?resource_id=${invoice}`,
  };
}

export async function readAgain(url: string, stored: Stored): Promise<Read> {
  const places = Object.entries(stored) as [keyof Stored, string][];
  const read = places.map(async ([name, path]) => {
    const { status, body } = await api(url).get(path);
    return [name, { status, body }] as const;
  });
  return Object.fromEntries(await Promise.all(read)) as unknown as Read;
}

/** Returns the pages that a reader sees in a browser, and the log. */
export async function look(url: string, log: string): Promise<Shown> {
  const reference = await fetch(`${url}/docs`);
  const document = await fetch(`${url}/api/v1/openapi.json`);
  const text = await document.text();
  return {
    log,
    reference: { status: reference.status, type: reference.headers.get('content-type') ?? '' },
    document: { paths: (JSON.parse(text) as { paths: Record<string, unknown> }).paths, text },
  };
}
