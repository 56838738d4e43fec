import { applyDecorators } from '@nestjs/common';
import { ApiExtraModels, ApiResponse, getSchemaPath } from '@nestjs/swagger';
import { PROBLEMS, type ProblemCode } from './problem';
import { problemType, ProblemView } from './problem.view';

/** Any route may return these problems. */
const ALWAYS: readonly ProblemCode[] = [
  'internal_error',
  'storage_unavailable',
  'temporarily_unavailable',
  'shutting_down',
];

/** Any route that needs a key may return these problems. */
const WITH_KEY: readonly ProblemCode[] = ['unauthenticated', 'insufficient_role', 'rate_limited'];

/** Returns an error response for the API reference, with an example for each code. */
export function problemResponse(status: number, codes: readonly ProblemCode[]) {
  const example = (code: ProblemCode) => ({
    type: problemType(code),
    title: PROBLEMS[code].title,
    status,
    detail: PROBLEMS[code].title,
    instance: 'urn:uptime:request:018f3f6e-1c1b-7a52-9d3e-0a6f6f0f5a11',
    code,
    request_id: '018f3f6e-1c1b-7a52-9d3e-0a6f6f0f5a11',
    ...(code === 'quota_exceeded' ? { quota: { name: 'endpoints', limit: 10_000, used: 10_000 } } : {}),
  });
  return {
    description: codes.map((code) => `\`${code}\`: ${PROBLEMS[code].title}.`).join(' '),
    content: {
      'application/problem+json': {
        schema: { $ref: getSchemaPath(ProblemView) },
        examples: Object.fromEntries(codes.map((code) => [code, { value: example(code) }])),
      },
    },
  };
}

/** Documents a route's problems, in addition to the ones that any route may return. */
export function Problems(...codes: ProblemCode[]) {
  return documented([...new Set([...codes, ...WITH_KEY, ...ALWAYS])]);
}

/** The problems for a body that can't be accepted. */
export const BODY_PROBLEMS: readonly ProblemCode[] = [
  'validation_failed',
  'malformed_json',
  'payload_too_large',
  'unsupported_media_type',
];

/** Documents a route's problems, including `BODY_PROBLEMS`. */
export const BodyProblems = (...codes: ProblemCode[]) => Problems(...BODY_PROBLEMS, ...codes);

/** Documents the problems of a route that needs no key. */
export function PublicProblems(...codes: ProblemCode[]) {
  return documented([...new Set([...codes, ...ALWAYS])]);
}

function documented(codes: readonly ProblemCode[]) {
  const byStatus = new Map<number, ProblemCode[]>();
  for (const code of codes) {
    const { status } = PROBLEMS[code];
    byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
  }
  return applyDecorators(
    ApiExtraModels(ProblemView),
    ...[...byStatus].map(([status, list]) => ApiResponse({ status, ...problemResponse(status, list) })),
  );
}
