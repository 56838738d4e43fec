import type { OpenAPIObject } from '@nestjs/swagger';
import { PROBLEMS, type ProblemCode } from '../problem/problem';
import { BODY_PROBLEMS, problemResponse } from '../problem/problems.decorator';

interface Operation {
  'x-plain'?: boolean;
  /** The route also responds with CSV. */
  'x-csv'?: boolean;
  parameters?: { name: string; in: string }[];
  requestBody?: { content?: Record<string, unknown> };
  responses: Record<
    string,
    {
      headers?: Record<string, object>;
      content?: Record<string, { examples?: Record<string, unknown>; schema?: object }>;
    }
  >;
}

const CHANGES = new Set(['post', 'put', 'patch', 'delete']);

/**
 * Adds the problems and headers that follow from a route's method and parameters. Declarations list only the rest.
 * Skips operations marked with `x-plain`, which are URLs for external programs that don't support problems.
 */
export function withOperationsCompleted(document: OpenAPIObject): OpenAPIObject {
  for (const path of Object.values(document.paths)) {
    for (const [method, operation] of Object.entries(path as Record<string, Operation>)) {
      if (operation['x-csv']) addCsv(operation);
      if (operation['x-plain']) continue;
      if ('application/json' in (operation.requestBody?.content ?? {})) addProblems(operation, BODY_PROBLEMS);
      addProblems(operation, EARLY);
      if (takes(operation, 'cursor')) addProblems(operation, ['invalid_cursor']);
      if (operation.parameters?.some((one) => one.in === 'path')) addProblems(operation, ['not_found']);
      if (CHANGES.has(method)) addProblems(operation, UNREADABLE_BODY);
      if (method === 'post') addIdempotency(operation);
      if (CHANGES.has(method)) addProblems(operation, takes(operation, 'If-Match') ? IF_MATCH : NO_IF_MATCH);
      const page = operation.responses['200'];
      if (method === 'get' && page && takes(operation, 'cursor')) page.headers = { ...PAGE_HEADERS };
    }
  }
  return document;
}

/** Replaces the mark of the route with the media type. */
function addCsv(operation: Operation): void {
  delete operation['x-csv'];
  const ok = operation.responses['200'];
  if (ok) ok.content = { ...ok.content, 'text/csv': { schema: { type: 'string' } } };
}

const takes = ({ parameters }: Operation, name: string): boolean =>
  parameters?.some((one) => one.name === name) ?? false;

const PROBLEM_JSON = 'application/problem+json';

/** Adds problems to the existing ones. */
function addProblems({ responses }: Operation, codes: readonly ProblemCode[]): void {
  for (const code of codes) {
    const { status } = PROBLEMS[code];
    const known = Object.keys(responses[status]?.content?.[PROBLEM_JSON]?.examples ?? {}) as ProblemCode[];
    if (!known.includes(code)) responses[status] = problemResponse(status, [...known, code]);
  }
}

/** Any route may return this problem for a query parameter that it doesn't accept. */
const EARLY: readonly ProblemCode[] = ['invalid_query'];
/**
 * Any route whose method allows a body may return these problems if the body can't be read, even if the route needs
 * none.
 */
const UNREADABLE_BODY: readonly ProblemCode[] = [
  'malformed_json',
  'invalid_encoding',
  'bad_request',
  'payload_too_large',
  'unsupported_media_type',
];

// Routes that declare the header honor it. All others reject it.
const IF_MATCH: readonly ProblemCode[] = ['precondition_failed', 'invalid_if_match'];
const NO_IF_MATCH: readonly ProblemCode[] = ['if_match_not_supported'];
const IDEMPOTENCY_KEY: readonly ProblemCode[] = [
  'invalid_idempotency_key',
  'idempotency_key_in_use',
  'idempotency_key_reused',
];
const NO_IDEMPOTENCY_KEY: readonly ProblemCode[] = ['idempotency_key_not_supported'];

const REPLAYED = {
  description: '`true` if a stored response is sent again for the `Idempotency-Key`, otherwise absent.',
  schema: { type: 'string', enum: ['true'] },
  example: 'true',
};

function addIdempotency(operation: Operation): void {
  const honours = takes(operation, 'Idempotency-Key');
  addProblems(operation, honours ? IDEMPOTENCY_KEY : NO_IDEMPOTENCY_KEY);
  if (!honours) return;
  for (const [status, response] of Object.entries(operation.responses))
    if (status.startsWith('2')) response.headers = { ...response.headers, 'Idempotency-Replayed': REPLAYED };
}

const NEXT = 'of the next page. Absent only on the last page.';
const PAGE_HEADERS = {
  'X-Total-Count': {
    description: 'The number of items in the whole list, if it was counted.',
    schema: { type: 'integer' },
    example: 1,
  },
  Link: {
    description: `The URL ${NEXT}`,
    schema: { type: 'string' },
    example: '</api/v1/websites?cursor=eyJpZCI6IjAxIn0>; rel="next"',
  },
  'X-Next-Cursor': {
    description: `The \`cursor\` ${NEXT}`,
    schema: { type: 'string' },
    example: 'eyJpZCI6IjAxIn0',
  },
} as const;
