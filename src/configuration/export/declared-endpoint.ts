import { isSensitiveHeader } from '../../checker/request-headers';
import { SETTING_FIELDS } from '../../endpoint/endpoint.dto';
import type { Endpoint, EndpointSettings, StoredHeader } from '../../endpoint/endpoint.entity';
import { comparesCredential, isExportedHidden } from '../../endpoint/settings/shown-settings';
import { DEFAULT_WARN_DAYS } from '../../checker/certificate-warning';
import type { HeartbeatSchedule } from '../../endpoint/heartbeat/heartbeat-schedule';
import { inOrder as inOrderOfSchedule } from '../../endpoint/heartbeat/heartbeat.dto';
import { shownQuorum } from '../../endpoint/locations/locations';
import { shownSettings } from '../../endpoint/settings/stored-settings';
import { shownTls } from '../../endpoint/settings/tls.dto';
import { MASK } from '../../platform/secrets/mask';
import { isRecord } from '../../platform/text/json';
import { toFields } from '../../platform/database/field-names';
import type { DeclaredAssertion, DeclaredEndpoint, SecretReference } from '../document/document';
import { ENDPOINT_DEFAULTS } from '../plan/sent-fields';
import { type KeyPaths, pathsOf } from './key-paths';
import type { SecretNames } from './secret-names';
import type { Chosen } from './without-defaults';
import type { Role } from '../../platform/access/permissions';

/** A stored endpoint. Its body only indicates whether there is one. */
export interface ExportedEndpoint extends EndpointSettings, Pick<Endpoint, 'id'> {
  /** UUIDs. */
  dependsOn: readonly string[];
}

/** The caller's role, and the settings to export. */
export interface ExportStyle {
  role: Role;
  chosen: Chosen;
}

/**
 * Returns an endpoint without its alerts. Settings are as shown to read keys, with a reference in place of each mask.
 * Other roles see more of the URL.
 */
export function toDeclaredEndpoint(
  endpoint: ExportedEndpoint,
  paths: KeyPaths,
  secrets: SecretNames,
  { role, chosen }: ExportStyle,
): DeclaredEndpoint {
  const path = paths.endpoints.get(endpoint.id) ?? '';
  const secret = (...place: (string | number)[]): SecretReference =>
    secrets.reference('endpoint', ...path.split('/'), ...place);
  const { name, type, url, key: _key, heartbeat: _heartbeat, ...plain } = toFields(endpoint, SETTING_FIELDS);
  const identity = {
    key: path.split('/')[1] ?? '',
    name,
    type,
    url: isExportedHidden(url, role) ? secret('url') : url,
  };
  const dependsOn = pathsOf(paths.endpoints, endpoint.dependsOn).sort();
  if (endpoint.heartbeat) return declaredHeartbeat(endpoint, endpoint.heartbeat, identity, { dependsOn, chosen });
  const settings = {
    ...plain,
    headers: headersOf(endpoint.headers, secret),
    body: plain.body ? secret('body') : plain.body,
    assertions: endpoint.assertions.map((assertion, i): DeclaredAssertion => {
      const isSecret = comparesCredential(assertion);
      return { ...inOrder(assertion), ...(isSecret && { target: secret('assertion', i + 1, 'target') }) };
    }),
    depends_on: dependsOn,
    quorum: shownQuorum(endpoint.quorum),
    settings: withMembers(declaredSettings(shownSettings(endpoint.settings), secret)),
    tls: withMembers(chosen(shownTls(endpoint), { verify: true, warn_days: DEFAULT_WARN_DAYS })),
  };
  return { ...identity, ...chosen(settings, ENDPOINT_DEFAULTS) };
}

/**
 * Returns a heartbeat without its ping URL. If the URL is absent, the stored one is kept, and a new endpoint gets a new
 * one.
 */
function declaredHeartbeat(
  { enabled, tags }: ExportedEndpoint,
  schedule: HeartbeatSchedule,
  { key, name, type }: Pick<DeclaredEndpoint, 'key' | 'name' | 'type'>,
  { dependsOn, chosen }: { dependsOn: string[]; chosen: Chosen },
): DeclaredEndpoint {
  const heartbeat = Object.fromEntries(
    Object.entries(inOrderOfSchedule(schedule)).filter(([, value]) => value !== null),
  );
  return { key, name, type, heartbeat, ...chosen({ enabled, tags, depends_on: dependsOn }, ENDPOINT_DEFAULTS) };
}

const withMembers = <Shown extends object>(shown: Shown): Shown | null =>
  Object.keys(shown).length > 0 ? shown : null;

/** Returns the settings of the type with a reference in place of each secret. */
function declaredSettings(shown: object, secret: (...place: (string | number)[]) => SecretReference): object {
  const visit = (value: unknown, path: readonly (string | number)[]): unknown => {
    if (value === MASK) return secret('settings', ...path);
    if (Array.isArray(value)) return value.map((item: unknown, index) => visit(item, [...path, index + 1]));
    if (!isRecord(value)) return value;
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, visit(item, [...path, key])]));
  };
  return visit(shown, []) as object;
}

/** A header name may occur twice. */
function headersOf(
  headers: readonly StoredHeader[],
  secret: (...place: (string | number)[]) => SecretReference,
): NonNullable<DeclaredEndpoint['headers']> {
  const turns = new Map<string, number>();
  return headers.map(({ key, value, sealed }) => {
    const name = key.toLowerCase();
    const turn = (turns.get(name) ?? 0) + 1;
    turns.set(name, turn);
    const isSecret = sealed === true || isSensitiveHeader(key);
    return { key, value: isSecret ? secret('header', name, ...(turn === 1 ? [] : [turn])) : value };
  });
}

const inOrder = ({ source, property, comparison, target, severity }: Endpoint['assertions'][number]) => ({
  source,
  ...(property !== undefined && { property }),
  comparison,
  target,
  ...(severity !== undefined && { severity }),
});
