import { OPERATIONS } from '../document/contract';
import type { Outgoing } from '../session/caller';
import type { Scene } from './scene';

export interface Sample extends Outgoing {
  /** Values for path parameters. The resources must exist. */
  params?: Readonly<Record<string, string>>;
  /** In the form `name=value`. */
  query?: string;
}

/** Samples by operationId. Each call creates what the request changes or removes. The rest comes from the scene. */
export type Samples = Readonly<Record<string, (scene: Scene) => Promise<Sample> | Sample>>;

/** Operations that a program can't call successfully on its own, and why. */
export const OUT_OF_REACH: Readonly<Record<string, string>> = {
  showAcknowledgeLink: 'the link is in notifications to people, and only with PUBLIC_URL',
  acknowledgeByLink: 'the link is in notifications to people, and only with PUBLIC_URL',
  startSingleSignOn: 'it needs a provider, with OIDC_ISSUER',
  finishSingleSignOn: 'it needs a provider, with OIDC_ISSUER',
  deletePersonIdentities: 'a provider, or a proxy in front, creates identities',
  deleteOwnIdentity: 'a provider, or a proxy in front, creates identities',
};

/** Returns the path with these parameters and the query string. */
export function pathOf(template: string, { params = {}, query }: Sample): string {
  const path = template.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(params[name] ?? ''));
  return query === undefined ? path : `${path}?${query}`;
}

/** 26 characters from the ID alphabet that never occur as an ID. */
const NOBODY = '0'.repeat(26);

/** Returns well-formed but nonexistent IDs for a path's parameters. */
export function unknownIds(template: string): Record<string, string> {
  const [, collection = ''] = /^\/(?:api\/v1\/)?([a-z-]+)/.exec(template) ?? [];
  const names = [...template.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
  const prefix = PREFIXES[collection];
  return Object.fromEntries(names.map((name) => [name, prefix === undefined ? `no-${NOBODY}` : `${prefix}_${NOBODY}`]));
}

const PREFIXES: Readonly<Record<string, string>> = {
  websites: 'ws',
  endpoints: 'ep',
  'deleted-endpoints': 'ep',
  alerts: 'al',
  contacts: 'ct',
  deliveries: 'dl',
  incidents: 'inc',
  'maintenance-windows': 'mw',
  'status-pages': 'sp',
  'api-keys': 'key',
  organizations: 'org',
  probes: 'pr',
  'shared-probes': 'pr',
  reports: 'rpl',
  people: 'per',
  invitations: 'inv',
  auth: 'ses',
};

/** Returns the contract's operations that have neither a sample nor a reason for not having one. */
export const withoutSample = (samples: Samples): string[] =>
  OPERATIONS.filter(({ operationId }) => !(operationId in samples) && !(operationId in OUT_OF_REACH)).map(
    ({ name }) => name,
  );
