import type { ConfigurationDocument } from '../../document/document';
import type { Lookup } from './present-state';

/** Returns a lookup for everything that a document may refer to. `owner` adds everything that this owner declared. */
export function lookupOf(document: ConfigurationDocument, owner: string | null): Lookup {
  const { websites = [], maintenance_windows: windows = [], status_pages: pages = [] } = document;
  const endpoints = websites.flatMap((website) => website.endpoints ?? []);
  const paths = [
    ...endpoints.flatMap((endpoint) => endpoint.depends_on ?? []),
    ...windows.flatMap(({ scope }) => ('all' in scope ? [] : [...(scope.endpoints ?? []), ...(scope.websites ?? [])])),
    ...pages.flatMap(({ groups }) =>
      groups.flatMap((group) => [...(group.endpoints ?? []), ...(group.websites ?? [])]),
    ),
  ].map((path) => path.split('/'));
  return {
    owner,
    websites: named(
      websites,
      paths.flatMap(([website]) => website ?? []),
    ),
    endpoints: named(
      endpoints,
      paths.flatMap(([, endpoint]) => endpoint ?? []),
    ),
    windows: named(windows),
  };
}

const named = (declared: readonly { key: string; name: string }[], referred: readonly string[] = []) => ({
  keys: [...new Set([...declared.map(({ key }) => key), ...referred])],
  names: [...new Set(declared.map(({ name }) => name.trim()))],
});
