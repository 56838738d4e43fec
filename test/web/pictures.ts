import type { Visit } from './browser';

/** A picture in docs/images, which `npm run pictures` takes of a service with sample data. */
export interface Picture {
  /** Its file under docs/images, without the extension. */
  name: string;
  /** The hash path in the dashboard, in which `:name` is the ID of that name. A public page starts with `public/`. */
  path: string;
  width: number;
  height: number;
  colorScheme?: 'light' | 'dark';
  /** The user's actions on the page before the picture is taken. */
  prepare?: (visit: Visit) => Promise<unknown>;
}

const WIDE = { width: 1280, height: 800 };
const DESK = { width: 1440, height: 900 };
const TABLET = { width: 768, height: 1024 };
const PHONE = { width: 390, height: 844 };

const CHECKOUT = '/endpoints/:Checkout?range=24h';
const pasteAddress = ({ page }: Visit) =>
  page.getByLabel('URL, host, or host:port').fill('https://shop.example.com/checkout');

/** Twelve screens that docs/contributing/before-after.md compares with their state at 34585e0. */
const COMPARED: readonly Picture[] = [
  { name: 'overview', path: '/', ...DESK },
  { name: 'overview-dark', path: '/', ...DESK, colorScheme: 'dark' },
  { name: 'overview-tablet', path: '/', ...TABLET },
  { name: 'overview-phone', path: '/', ...PHONE },
  { name: 'endpoint', path: CHECKOUT, ...DESK },
  { name: 'endpoint-phone', path: CHECKOUT, ...PHONE, colorScheme: 'dark' },
  { name: 'website', path: '/websites/:Example shop', ...DESK },
  { name: 'new-endpoint', path: '/new', ...DESK, prepare: pasteAddress },
  { name: 'events', path: '/alerts/events', ...DESK, colorScheme: 'dark' },
  { name: 'contact', path: '/contacts/:On call', ...DESK },
  { name: 'keys', path: '/settings/keys', ...DESK },
  { name: 'status-page', path: 'public/status/example-shop', ...DESK },
];
const named = (when: string): Picture[] =>
  COMPARED.map((each) => ({ ...each, name: `before-after/${each.name}-${when}` }));
export const [BEFORE, AFTER] = [named('before'), named('after')];

/** The pictures in README and docs/get-started/quickstart.md. */
export const SHOWN: readonly Picture[] = [
  { name: 'overview-light', path: '/', ...WIDE },
  { name: 'overview-phone', path: '/', ...PHONE },
  { name: 'endpoint-light', path: CHECKOUT, ...WIDE },
  { name: 'endpoint-phone', path: CHECKOUT, ...PHONE },
  { name: 'events', path: '/alerts/events', ...WIDE },
  { name: 'new-endpoint', path: '/new', ...WIDE, prepare: pasteAddress },
  { name: 'status-page', path: 'public/status/example-shop', ...WIDE },
];

const detailsOf =
  (name: string) =>
  ({ page }: Visit) =>
    page.getByRole('button', { name: `Details of ${name}` }).click();

/** The pictures in docs/guides/locations/probes.md, once there are probes. */
export const PROBES: readonly Picture[] = [
  { name: 'probes', path: '/settings/probes', ...WIDE, prepare: detailsOf('Virginia') },
  { name: 'locations', path: '/endpoints/:Storefront?view=locations&range=24h', ...DESK, height: 1260 },
];

/** The pictures in docs/guides/people/people.md, as Ada sees them. */
export const PEOPLE: readonly Picture[] = [
  { name: 'people', path: '/settings/people', ...WIDE },
  { name: 'account', path: '/settings/account', ...WIDE },
];

/** The pictures in docs/concepts/incidents.md, after a load balancer has failed. */
export const OUTAGE: readonly Picture[] = [
  { name: 'incidents', path: '/incidents', ...WIDE },
  { name: 'incident', path: '/incidents/:Outage', ...DESK },
  { name: 'incident-phone', path: '/incidents/:Outage?public', ...PHONE, colorScheme: 'dark' },
];

/** Returns the path with IDs in place of names. */
export const withIds = (path: string, ids: ReadonlyMap<string, string>): string =>
  path.replace(/:([A-Za-z ]+)/, (_, name: string) => ids.get(name) ?? `missing ${name}`);
