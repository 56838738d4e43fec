import { isSensitiveHeader } from '../../checker/request-headers';
import type { Endpoint, EndpointSettings, StoredHeader } from '../../endpoint/endpoint.entity';
import { comparesCredential, maskedUrl } from '../../endpoint/settings/shown-settings';
import { shownTls } from '../../endpoint/settings/tls.dto';
import type { DeclaredAssertion, DeclaredEndpoint, SecretReference } from '../document/document';
import { ENDPOINT_DEFAULTS } from '../plan/sent-fields';
import { type KeyPaths, pathsOf } from './key-paths';
import type { SecretNames } from './secret-names';
import { withoutDefaults } from './without-defaults';

/** An endpoint as it is stored. Of its body nothing matters but whether there is one. */
export interface ExportedEndpoint extends EndpointSettings, Pick<Endpoint, 'id'> {
  /** uuids. */
  dependsOn: readonly string[];
}

/** Without its alerts: what read keys see of its settings, and a reference in place of each mask. */
export function toDeclaredEndpoint(
  endpoint: ExportedEndpoint,
  paths: KeyPaths,
  secrets: SecretNames,
): DeclaredEndpoint {
  const path = paths.endpoints.get(endpoint.id) ?? '';
  const secret = (...place: (string | number)[]): SecretReference =>
    secrets.reference('endpoint', ...path.split('/'), ...place);
  const { name, type, url, body, tls } = endpoint;
  const identity = {
    key: path.split('/')[1] ?? '',
    name,
    type,
    url: maskedUrl(url) === url ? url : secret('url'),
  };
  const settings = {
    method: endpoint.method,
    interval: endpoint.intervalSeconds,
    timeout: endpoint.timeoutSeconds,
    enabled: endpoint.enabled,
    headers: headersOf(endpoint.headers, secret),
    body: body ? secret('body') : body,
    follow_redirects: endpoint.followRedirects,
    assertions: endpoint.assertions.map((assertion, i): DeclaredAssertion => {
      const isSecret = comparesCredential(assertion);
      return { ...inOrder(assertion), ...(isSecret && { target: secret('assertion', i + 1, 'target') }) };
    }),
    tags: endpoint.tags,
    depends_on: pathsOf(paths.endpoints, endpoint.dependsOn).sort(),
    tls: tls && withoutDefaults(shownTls(tls), { verify: true }),
  };
  return { ...identity, ...withoutDefaults(settings, ENDPOINT_DEFAULTS) };
}

/** The name of a header may come twice. */
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
