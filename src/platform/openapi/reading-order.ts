import type { OpenAPIObject } from '@nestjs/swagger';

/**
 * The order of the reference, from what most users need to what only the operator needs. Paths without one of these
 * prefixes come last.
 */
const SECTIONS = [
  '/api/v1/websites',
  '/api/v1/websites/{websiteId}/endpoints',
  '/api/v1/endpoints',
  '/api/v1/endpoints/test',
  '/api/v1/alerts',
  '/api/v1/alerts/test',
  '/api/v1/alerts/{id}/test',
  '/api/v1/contacts',
  '/api/v1/contacts/test',
  '/api/v1/alerts/{id}/deliveries',
  '/api/v1/endpoints/{id}/deliveries',
  '/api/v1/deliveries',
  '/api/v1/alerts/events',
  '/api/v1/endpoints/{id}/acknowledgement',
  '/api/v1/incidents',
  '/api/v1/stream',
  '/api/v1/overview',
  '/api/v1/metrics',
  '/api/v1/endpoints/{id}/checks',
  '/api/v1/endpoints/{id}/uptime',
  '/api/v1/websites/{id}/history',
  '/api/v1/endpoints/{id}/latency',
  '/api/v1/probes',
  '/api/v1/maintenance-windows',
  '/api/v1/websites/{id}/status-page',
  '/api/v1/status-pages',
  '/status/',
  '/api/v1/configuration',
  '/api/v1/organization',
  '/api/v1/people',
  '/api/v1/invitations',
  '/api/v1/api-keys',
  '/api/v1/audit-log',
  '/auth/',
  '/api/v1/system',
  '/api/v1/organizations',
  '/api/v1/organizations/audit-log',
  '/api/v1/shared-probes',
  '/api/v1/probe/',
];

/** Schemas that every route uses. */
const EVERYWHERE = ['FieldProblemView', 'ProblemView'];

/** Sorts paths into reading order and schemas into the order of their first use, independent of the module order. */
export function inReadingOrder(document: OpenAPIObject): OpenAPIObject {
  const paths = Object.fromEntries(
    Object.entries(document.paths)
      .map(([path, item]) => ({ path, item, section: sectionOf(path) }))
      .sort((a, b) => a.section - b.section)
      .map(({ path, item }) => [path, item]),
  );
  const known = document.components?.schemas ?? {};
  const names = new Set([...EVERYWHERE, ...referencesIn(paths, known), ...Object.keys(known)]);
  const schemas = Object.fromEntries([...names].flatMap((name) => (known[name] ? [[name, known[name]]] : [])));
  return { ...document, paths, components: { ...document.components, schemas } };
}

/** The longest matching prefix decides. */
function sectionOf(path: string): number {
  const [longest] = SECTIONS.filter((prefix) => path.startsWith(prefix)).sort((a, b) => b.length - a.length);
  return longest === undefined ? SECTIONS.length : SECTIONS.indexOf(longest);
}

/** Returns the names of the schemas in dependency order. A schema comes after the schemas that it refers to. */
function referencesIn(
  node: unknown,
  schemas: Readonly<Record<string, unknown>>,
  found = new Set<string>(),
  entered = new Set<string>(),
): Set<string> {
  if (typeof node !== 'object' || node === null) return found;
  for (const [key, value] of Object.entries(node)) {
    if (key !== '$ref' || typeof value !== 'string') {
      referencesIn(value, schemas, found, entered);
      continue;
    }
    const name = value.slice(value.lastIndexOf('/') + 1);
    // Schemas may refer to each other in a cycle.
    if (entered.has(name)) continue;
    entered.add(name);
    referencesIn(schemas[name], schemas, found, entered);
    found.add(name);
  }
  return found;
}

/** Lists the tags in the order of their first use, with descriptions. */
export function withTags(document: OpenAPIObject): OpenAPIObject {
  const names = Object.values({ ...document.paths, ...document.webhooks }).flatMap((path) =>
    Object.values(path as object).flatMap((operation: { tags?: string[] }) => operation.tags ?? []),
  );
  const tags = [...new Set(names)].map((name) => ({ name, description: TAGS[name] ?? name }));
  return { ...document, tags };
}

const TAGS: Readonly<Record<string, string>> = {
  Websites: 'What an organization watches. Owns endpoints.',
  Endpoints: 'One check each: what is asked, how often, and how the answer is judged.',
  Pings: 'Where jobs tell that they have run: addresses that every program can request.',
  Alerts: 'Rules that notify when an endpoint fails, and the events they raised.',
  Incidents: 'Endpoints that went down together, and what people said about it.',
  Contacts: 'Channels that are configured once, for any number of alerts.',
  Deliveries: 'What became of each notification.',
  Checks: 'Running a check at once.',
  Probes: 'The same program at other places, and what is shared by the operator.',
  History: 'Single checks, uptime and latency over any range.',
  Stream: 'What happens, as it happens.',
  'Maintenance windows': 'When nobody is told, and checks do not count.',
  'Status pages': 'What everybody may see of a website.',
  Configuration: 'Configuration as code.',
  Organizations: 'Who am I; and, for the operator, all organizations.',
  'API keys': 'Keys of your organization.',
  'Audit log': 'Who changed what in your organization.',
  People: 'The members of your organization, and what they may do.',
  Invitations: 'Who may join: one link each, sent by you.',
  'Sign-in': 'How browsers get in: accounts, passwords, links, sessions.',
  'Probe protocol': 'What probes and the service say to each other.',
  System: 'The state of the installation.',
  Webhooks: 'What the service sends to you.',
};
