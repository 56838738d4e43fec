/** One wrong field. `pointer` is an RFC 6901 JSON pointer into the body, or `?name` for a query parameter. */
export interface FieldProblem {
  pointer: string;
  code: FieldProblemCode;
  message: string;
  /** 1-based, of a body that is a document. */
  line?: number | null;
}

export const FIELD_PROBLEM_CODES = [
  'required',
  'wrong_type',
  'out_of_range',
  'too_long',
  'invalid_format',
  'invalid_characters',
  'unsupported_scheme',
  'unsupported_type',
  'credentials_in_url',
  'forbidden_header',
  'invalid_config',
  'unknown_field',
  'immutable',
  'read_only',
  'not_found',
  'cycle',
  'in_past',
  'never_due',
  'overlaps_itself',
  'unknown_zone',
  'invalid_syntax',
  'duplicate_key',
  'too_deep',
  'too_large',
  'missing_secret',
  'other_owner',
  'taken',
  'over_quota',
] as const;
export type FieldProblemCode = (typeof FIELD_PROBLEM_CODES)[number];

/** Every problem of the API: status and title in one place. Codes are stable, texts may change. */
export const PROBLEMS = {
  malformed_json: { status: 400, title: 'The body is not valid JSON' },
  malformed_document: { status: 400, title: 'The document cannot be read' },
  invalid_encoding: { status: 400, title: 'The body is not valid UTF-8' },
  validation_failed: { status: 400, title: 'Some fields are not valid' },
  invalid_query: { status: 400, title: 'The query string is not valid' },
  invalid_cursor: { status: 400, title: 'The cursor is not valid' },
  invalid_idempotency_key: { status: 400, title: 'The Idempotency-Key is not valid' },
  idempotency_key_not_supported: { status: 400, title: 'This request cannot be sent with an Idempotency-Key' },
  invalid_if_match: { status: 400, title: 'The If-Match is not valid' },
  if_match_not_supported: { status: 400, title: 'This request cannot be sent with an If-Match' },
  bad_request: { status: 400, title: 'The request is not valid HTTP' },
  unauthenticated: { status: 401, title: 'A valid API key is required' },
  insufficient_role: { status: 403, title: 'The API key may not do this' },
  origin_not_allowed: { status: 403, title: 'The request comes from another site' },
  not_found: { status: 404, title: 'There is no such thing' },
  method_not_allowed: { status: 405, title: 'The method is not allowed here' },
  request_timeout: { status: 408, title: 'The request took too long to arrive' },
  conflict: { status: 409, title: 'The request conflicts with the current state' },
  idempotency_key_in_use: { status: 409, title: 'The first request with this Idempotency-Key still runs' },
  quota_exceeded: { status: 409, title: 'A limit of the organization is reached' },
  precondition_failed: { status: 412, title: 'Somebody else has changed it' },
  payload_too_large: { status: 413, title: 'The body is too large' },
  uri_too_long: { status: 414, title: 'The address is too long' },
  unsupported_media_type: { status: 415, title: 'The body has a media type that is not taken here' },
  expectation_failed: { status: 417, title: 'The expectation cannot be met' },
  idempotency_key_reused: { status: 422, title: 'The Idempotency-Key belongs to another request' },
  target_not_allowed: { status: 422, title: 'The target may not be contacted' },
  rate_limited: { status: 429, title: 'Too many requests' },
  headers_too_large: { status: 431, title: 'The request headers are too large' },
  internal_error: { status: 500, title: 'Something went wrong on our side' },
  storage_unavailable: { status: 503, title: 'The database is not available' },
  temporarily_unavailable: { status: 503, title: 'The service is overloaded' },
  shutting_down: { status: 503, title: 'The service is shutting down' },
} as const;
export type ProblemCode = keyof typeof PROBLEMS;

/** A limit that would have been passed. */
export interface QuotaUse {
  name: string;
  limit: number;
  used: number;
}

/** An error response. Thrown anywhere, written by `ProblemFilter`. `detail` is public. */
export class Problem extends Error {
  readonly status: number;

  constructor(
    readonly code: ProblemCode,
    readonly detail: string,
    readonly errors: readonly FieldProblem[] = [],
    readonly headers: Readonly<Record<string, string>> = {},
    readonly quota: QuotaUse | null = null,
  ) {
    super(`${code}: ${detail}`);
    this.status = PROBLEMS[code].status;
  }
}

/** At most this many field errors are listed; what looks for them need not look further. */
export const MAX_ERRORS = 20;

/** The problems that services and controllers throw. One text each, so that equal cases look alike. */
export const problems = {
  notFound: () => new Problem('not_found', 'Nothing exists at this address, or it is not yours.'),
  /** Something that a field of the body names. The same for what is unknown, deleted or another organization's. */
  referenceNotFound: (pointer: string, message: string) =>
    new Problem('not_found', 'A field names something that does not exist, or is not yours.', [
      { pointer, code: 'not_found', message },
    ]),
  validationFailed: (errors: readonly FieldProblem[]) =>
    new Problem(
      'validation_failed',
      'Correct the fields listed in "errors" and send the request again.',
      errors.slice(0, MAX_ERRORS),
    ),
  invalidQuery: (errors: readonly FieldProblem[]) =>
    new Problem('invalid_query', 'Correct the query parameters listed in "errors".', errors.slice(0, MAX_ERRORS)),
  invalidCursor: () =>
    new Problem('invalid_cursor', 'Use the cursor of the previous page of this very list, unchanged.'),
  unauthenticated: () =>
    new Problem('unauthenticated', 'Send a valid API key as "Authorization: Bearer <key>" or "X-API-Key: <key>".', [], {
      'WWW-Authenticate': 'Bearer realm="api"',
    }),
  insufficientRole: (needed: string) =>
    new Problem('insufficient_role', `This needs an API key with the role "${needed}".`),
  targetNotAllowed: (errors: readonly FieldProblem[]) =>
    new Problem(
      'target_not_allowed',
      'The egress policy of this installation refuses the target.',
      errors.slice(0, MAX_ERRORS),
    ),
  conflict: (detail: string, errors: readonly FieldProblem[] = []) =>
    new Problem('conflict', detail, errors.slice(0, MAX_ERRORS)),
  /** `onlyWeak`: no tag could have matched. */
  preconditionFailed: (onlyWeak: boolean) =>
    new Problem(
      'precondition_failed',
      onlyWeak
        ? 'A weak tag (W/"…") never matches; a proxy that compresses may have made it weak. Send the tag without W/. Nothing was changed.'
        : 'Its ETag is none of those in If-Match. Read it again and repeat your change on what it is now. Nothing was changed.',
    ),
  quotaExceeded: (quota: QuotaUse, what: string, errors: readonly FieldProblem[] = []) =>
    new Problem(
      'quota_exceeded',
      `The organization may have at most ${quota.limit} ${what}, and has ${quota.used}. Remove some, or ask the operator for more.`,
      errors,
      {},
      quota,
    ),
  storageUnavailable: () =>
    new Problem('storage_unavailable', 'Try again in a few seconds.', [], { 'Retry-After': '5' }),
  temporarilyUnavailable: () =>
    new Problem('temporarily_unavailable', 'Try again in a few seconds.', [], { 'Retry-After': '2' }),
  shuttingDown: () =>
    new Problem('shutting_down', 'Another instance, or this one after its restart, will answer.', [], {
      'Retry-After': '5',
    }),
  rateLimited: (retryAfterSeconds: number) =>
    new Problem('rate_limited', 'Slow down and repeat the request after the time in Retry-After.', [], {
      'Retry-After': String(retryAfterSeconds),
    }),
} as const;
