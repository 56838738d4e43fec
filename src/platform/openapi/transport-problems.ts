import type { OpenAPIObject } from '@nestjs/swagger';
import { PROBLEMS, type ProblemCode } from '../problem/problem';
import { problemResponse } from '../problem/problems.decorator';

/** The problem of any route with a query that it does not take. */
const ANY: readonly ProblemCode[] = ['invalid_query'];
/** The problems of any route of a method with a body, when the body cannot be read, whether the route wants one or not. */
const WITH_BODY: readonly ProblemCode[] = [
  'malformed_json',
  'invalid_encoding',
  'bad_request',
  'payload_too_large',
  'unsupported_media_type',
];
const BODY_METHODS = new Set(['post', 'put', 'patch', 'delete']);
const PROBLEM_JSON = 'application/problem+json';

export interface Operation {
  parameters?: { name: string }[];
  responses: Record<
    string,
    { headers?: Record<string, object>; content?: Record<string, { examples?: Record<string, unknown> }> }
  >;
}

/** Adds the problems that are found before a route is reached; routes list only their own. */
export function documentTransportProblems(document: OpenAPIObject): void {
  for (const path of Object.values(document.paths)) {
    for (const [method, operation] of Object.entries(path as Record<string, Operation>)) {
      const codes = BODY_METHODS.has(method) ? [...ANY, ...WITH_BODY] : ANY;
      for (const code of codes) addProblem(operation, code);
    }
  }
}

/** Beside those that the operation has. */
export function addProblem({ responses }: Operation, code: ProblemCode): void {
  const { status } = PROBLEMS[code];
  const known = Object.keys(responses[status]?.content?.[PROBLEM_JSON]?.examples ?? {}) as ProblemCode[];
  if (!known.includes(code)) responses[status] = problemResponse(status, [...known, code]);
}
