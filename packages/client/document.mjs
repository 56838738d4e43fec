// Reads additional details from the API document that the generator doesn't read.

/** Returns every operation in the document with its description and the text types of its request and response. */
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

/** Removes the routes that exist for other programs. API clients don't need them. */
export function withoutPlain(document) {
  const isOfApi = ([, path]) => !Object.values(path).some((operation) => operation['x-plain']);
  return { ...document, paths: Object.fromEntries(Object.entries(document.paths).filter(isOfApi)) };
}

/** Adds descriptions for bodies that may be non-JSON text. The generator only reads the first content type. */
export function withTextBodies(document) {
  const copy = structuredClone(document);
  for (const { requestBody } of all(copy)) {
    const [first, ...others] = Object.values(requestBody?.content ?? {});
    if (others.length > 0) first.schema = { oneOf: [first.schema, { type: 'string' }] };
  }
  return copy;
}

/** Returns the generator's settings. Lists are paged using a header. */
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

/** Returns the codes for problems that the caller can solve, except the codes that every route has. */
function refusalsOf(responses) {
  const codes = Object.entries(responses)
    .filter(([status]) => status.startsWith('4'))
    .flatMap(([, response]) => Object.keys(response.content?.['application/problem+json']?.examples ?? {}));
  return codes.filter((code) => !EVERYWHERE.has(code));
}

const EVERYWHERE = new Set(['unauthenticated', 'insufficient_role', 'rate_limited']);
