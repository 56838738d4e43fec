import { CONTRACT } from '../document/contract';
import type { Schema } from '../document/openapi';
import type { TheSession } from '../session/session';
import { createdIn, newEndpoint, type Thing } from '../session/things';

interface Example {
  type: string;
  config: Record<string, unknown>;
}

/** An example of each alert type, taken from the contract's document. */
const EXAMPLES = Object.values(
  CONTRACT.paths['/api/v1/alerts']?.['post']?.requestBody?.content['application/json']?.examples ?? {},
).flatMap(({ value }): [string, Example][] => ('config' in value ? [[(value as Example).type, value as Example]] : []));

/** Returns the values that the schema marks as passwords, at any depth. */
function secretsIn(schema: Schema | undefined, value: unknown): string[] {
  const [reference] = [schema?.$ref, ...(schema?.allOf ?? []).map(({ $ref }) => $ref)].filter(Boolean);
  const { properties = {} } = CONTRACT.components.schemas[reference?.split('/').at(-1) ?? ''] ?? schema ?? {};
  return Object.entries(properties).flatMap(([key, each]) => {
    const found = (value as Record<string, unknown>)[key];
    if (each.format === 'password' && typeof found === 'string') return [found];
    return typeof found === 'object' && found !== null ? secretsIn(each, found) : [];
  });
}

/** Returns the credentials in a type's example. Schemas are named after types, such as `PagerDutyConfig`. */
function credentialsIn({ type, config }: Example): string[] {
  const schemas = Object.entries(CONTRACT.components.schemas);
  const [, schema] = schemas.find(([name]) => name.toLowerCase() === `${type.replaceAll('_', '')}config`) ?? [];
  return secretsIn(schema, config);
}

/** Tests every alert type and its config. */
export function describeChannels(session: TheSession): void {
  describe('a channel', () => {
    let endpointId: string;
    beforeAll(async () => void (endpointId = (await newEndpoint(session(), { enabled: false })).id));

    it('exists for each of the nine types in the interface, which come first', () => {
      const types = ['discord', 'email', 'opsgenie', 'pagerduty', 'slack', 'teams', 'telegram', 'twilio', 'webhook'];
      expect(
        EXAMPLES.filter((_, index) => index < 9)
          .map(([type]) => type)
          .sort(),
      ).toEqual(types);
    });

    it.each(EXAMPLES)(
      'of type %s is created as the document shows it, with its credentials hidden',
      async (type, example) => {
        const sent = { endpoint_id: endpointId, type, config: example.config };
        const made = createdIn(await session().write.post<Thing>('/alerts', sent));
        expect(made).toMatchObject({ type, endpoint_id: endpointId, config: expect.any(Object) });
        const path = `/alerts/${made.id}`;
        const responses = [await session().write.get<Thing>(path), await session().read.get<Thing>(path)];
        const shown = [JSON.stringify(made), ...responses.map(({ text }) => text)].join();
        expect(credentialsIn(example).filter((secret) => shown.includes(JSON.stringify(secret)))).toEqual([]);
        const problems = responses.map((response) => session().record.problemsOf('GET /api/v1/alerts/{id}', response));
        expect(problems).toEqual([[], []]);
      },
    );

    it('has credentials in its config, except for types whose URL is the credential', () => {
      const without = EXAMPLES.filter(([, example]) => credentialsIn(example).length === 0).map(([type]) => type);
      const urls = ['discord', 'google_chat', 'mattermost', 'rocketchat', 'signal', 'slack', 'teams', 'wecom'];
      expect(without.sort()).toEqual(urls);
    });

    it.each(EXAMPLES)('of type %s refuses an unknown key in its config', async (type, example) => {
      const config = { ...example.config, nonsense: 1 };
      const { status, text } = await session().write.post('/alerts', { endpoint_id: endpointId, type, config });
      expect([status, text]).toEqual([400, expect.stringContaining('"/config/nonsense"')]);
    });
  });
}
