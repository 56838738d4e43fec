// What the client takes from the API document, beside what the generator reads there.

/** Every operation of the document: what a method is documented with, and the types of text it takes and responds with. */
export function operationsOf(document) {
  return all(document).map(({ operationId, summary, description, requestBody, responses }) => ({
    id: operationId,
    summary,
    description,
    refusals: refusalsOf(responses),
    bodyTypes: Object.keys(requestBody?.content ?? {}),
    responseTypes: Object.keys(responses['200']?.content ?? {}),
    successTypes: successTypesOf(responses),
  }));
}

/** Without the addresses that are for programs of others: a client of the API has no use for them. */
export function withoutPlain(document) {
  const isOfApi = ([, path]) => !Object.values(path).some((operation) => operation['x-plain']);
  return { ...document, paths: Object.fromEntries(Object.entries(document.paths).filter(isOfApi)) };
}

/**
 * The same document, with bodies that may be text in another form than JSON described as such: the generator reads the
 * first content type alone.
 */
export function withTextBodies(document) {
  const copy = structuredClone(document);
  for (const { requestBody } of all(copy)) {
    const [first, ...others] = Object.values(requestBody?.content ?? {});
    if (others.length > 0) first.schema = { oneOf: [first.schema, { type: 'string' }] };
  }
  return copy;
}

/** How the generator is to read it: lists lead on by their header. */
export function generatorSettings(document) {
  const lists = all(document).filter(({ parameters = [] }) => parameters.some(({ name }) => name === 'cursor'));
  const pagination = { style: 'link', items: '' };
  return {
    client: {
      telemetry: 'off',
      pagination: { operations: Object.fromEntries(lists.map(({ operationId }) => [operationId, pagination])) },
    },
  };
}

const all = (document) =>
  Object.values(document.paths).flatMap((path) => Object.values(path).filter((value) => value.operationId));

function successTypesOf(responses) {
  const successes = Object.entries(responses).filter(([status]) => status.startsWith('2'));
  return [...new Set(successes.flatMap(([, { content = {} }]) => Object.keys(content)))];
}

/** The codes of the problems that are the caller's to solve, without those of every route. */
function refusalsOf(responses) {
  const codes = Object.entries(responses)
    .filter(([status]) => status.startsWith('4'))
    .flatMap(([, response]) => Object.keys(response.content?.['application/problem+json']?.examples ?? {}));
  return codes.filter((code) => !EVERYWHERE.has(code));
}

const EVERYWHERE = new Set(['unauthenticated', 'insufficient_role', 'rate_limited']);
