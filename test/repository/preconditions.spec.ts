import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { readJson, readText, ROOT } from './project-files';

interface Operation {
  parameters?: { name: string; in: string }[];
  responses: Record<string, { headers?: object; content?: Record<string, { examples?: object }> }>;
}
type Path = Record<string, Operation | undefined>;

const { paths } = readJson('docs/openapi.json') as { paths: Record<string, Path> };
const honours = (operation: Operation): boolean =>
  operation.parameters?.some(({ name, in: place }) => name === 'If-Match' && place === 'header') ?? false;
const codesOf = ({ responses }: Operation, status: number): string[] =>
  Object.keys(responses[status]?.content?.['application/problem+json']?.examples ?? {});
const sendsTag = (operation: Operation | undefined): boolean =>
  Object.entries(operation?.responses ?? {}).some(
    ([status, { headers }]) => status.startsWith('2') && 'ETag' in (headers ?? {}),
  );
const changes = Object.entries(paths).flatMap(([path, operations]) =>
  ['put', 'delete'].flatMap((method) => {
    const operation = operations[method];
    return operation ? [{ name: `${method.toUpperCase()} ${path}`, path, operations, operation }] : [];
  }),
);

/** Paths whose PUT honours the tag of something else than their GET: that of the plan which is applied. */
const PLANNED = ['/api/v1/configuration'];

/** What supervisors ask. */
const UNDOCUMENTED = [join('platform', 'observability', 'health.controller.ts')];

describe('If-Match in the API document', () => {
  it('is honoured by each PUT and DELETE, or its refusal is documented', () => {
    const undecided = changes.filter(({ operation }) => {
      const refused = codesOf(operation, 400).includes('if_match_not_supported');
      const honoured = codesOf(operation, 412).includes('precondition_failed');
      return honours(operation) ? refused || !honoured : !refused || honoured;
    });
    expect(undecided.map(({ name }) => name)).toEqual([]);
  });

  it('has a tag to send: each PUT that honours it responds with one, and so does the GET of its path', () => {
    const without = changes.filter(
      ({ path, operation, operations }) =>
        honours(operation) &&
        [operations['put'], PLANNED.includes(path) ? undefined : operations['get']].some(
          (other) => other !== undefined && !sendsTag(other),
        ),
    );
    expect(without.map(({ name }) => name)).toEqual([]);
  });

  // A @Route does not compile without saying so: src/platform/http/route.decorator.spec.ts.
  it('is decided by each route, because each route of the document is a @Route', () => {
    const files = readdirSync(join(ROOT, 'src'), { recursive: true, encoding: 'utf8' });
    const others = files
      .filter((file) => file.endsWith('.controller.ts') && !UNDOCUMENTED.includes(file))
      .filter((file) =>
        /@(?:All|Get|Post|Put|Delete|Patch|Head|Options|Search|Sse)\(/.test(readText(join('src', file))),
      );
    expect(others).toEqual([]);
  });
});
