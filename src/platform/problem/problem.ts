/** An invalid field. `pointer` is an RFC 6901 JSON pointer into the body, or `?name` for a query parameter. */
export interface FieldProblem {
  pointer: string;
  code: FieldProblemCode;
  message: string;
  /** 1-based line, if the body is a document. */
  line?: number | null;
}

/** All problems that a field can have, with their fixes. Codes are stable, but texts may change. */
export const FIELD_PROBLEMS = {
  required: 'Send the field.',
  wrong_type: 'Send a value of the type in the message: string, number, boolean, list, or object.',
  out_of_range: 'Send a number, or a number of items, within the bounds in the message.',
  too_long: 'Shorten the string, or send fewer items.',
  invalid_format: 'Write the value in the format that the message describes; the schema has an example.',
  invalid_characters: 'Remove characters that are not allowed here, such as control characters.',
  unsupported_scheme: 'Use a scheme that fits the type: `https://` for HTTPS, `tcp://` for TCP.',
  unsupported_type: 'Use one of the types in the message; extensions may add more.',
  unknown_location:
    'Use `local`, the key of one of your probes, or `shared/` followed by the key of a shared probe. The probe must be enabled.',
  type_not_supported: 'The probe does not support this type: choose another probe, or update it.',
  exceeds_locations: 'Lower the quorum, or add more locations.',
  not_supported: 'Leave the field at its default: this type supports no other value.',
  credentials_in_url: 'Remove the user name and password from the URL. Send them in a header.',
  forbidden_header: 'Remove this header: the service sets it.',
  unknown_placeholder: 'Use a placeholder that exists: the message contains the nearest one.',
  invalid_template: 'Correct the template at `pointer`, as the message describes.',
  forbidden_placeholder: 'Write the scheme, host, and port of a URL without placeholders.',
  invalid_config: 'Correct the setting of the channel at `pointer`.',
  unknown_field: 'Remove the field, or correct its spelling.',
  immutable: 'This cannot be changed: create a new resource instead.',
  read_only: 'Remove the field: it is set elsewhere, as the message explains.',
  not_found:
    'No resource with this ID or key exists, or it belongs to another organization: list the existing resources.',
  cycle: 'The resources depend on each other in a cycle: remove one of the dependencies.',
  in_past: 'Send a time in the future.',
  never_due: 'The schedule never matches a time: check the day and the month.',
  overlaps_itself:
    'A period lasts longer than the time until its next start: shorten the period, or lengthen the time between starts.',
  unknown_zone: 'Send a name of the IANA time zone database, such as `Europe/Berlin`.',
  invalid_syntax: 'Correct the line in the message; a quote, a colon, or the indentation is the usual cause.',
  duplicate_key: 'Two resources use the same key, or a key appears twice in one object: rename one of them.',
  too_deep: 'Nest the value less deeply.',
  too_large: 'Send a smaller value, or split it into several.',
  unreachable: 'Nothing could be fetched from there; the message contains the reason. Correct the URL, or try again.',
  missing_secret: 'Set the variable that `$secret` names, or send the value.',
  other_owner: 'Another document owns the resource: change it in that document, or take it over with `take_over=true`.',
  reserved: 'The service reserves this name: choose another one.',
  taken: 'Another resource already uses this name or URL: choose another one.',
  over_quota: 'Delete some resources, or ask the operator for a higher limit.',
  too_weak:
    'Choose a longer password that others cannot guess from what they know about you, such as several unrelated words.',
} as const;
export type FieldProblemCode = keyof typeof FIELD_PROBLEMS;

/** All of the API's problems with status, title, and fix. Codes are stable, but texts may change. */
export const PROBLEMS = {
  malformed_json: {
    status: 400,
    title: 'The body is not valid JSON',
    help: 'Correct the JSON: `detail` shows where reading stopped.',
  },
  malformed_document: {
    status: 400,
    title: 'The document cannot be read',
    help: 'Correct the lines listed in `errors`. The document must be YAML or JSON of at most 8 MiB.',
  },
  invalid_encoding: { status: 400, title: 'The body is not valid UTF-8', help: 'Send the body as UTF-8.' },
  validation_failed: {
    status: 400,
    title: 'Some fields are not valid',
    help: 'Correct every field listed in `errors`: `pointer` identifies the field, and `code` the problem (second table).',
  },
  invalid_query: {
    status: 400,
    title: 'The query string is not valid',
    help: 'Correct the query parameters listed in `errors`. Unknown parameters are rejected.',
  },
  invalid_cursor: {
    status: 400,
    title: 'The cursor is not valid',
    help: 'Follow `Link` or `X-Next-Cursor` of the last page unchanged, or start without a cursor.',
  },
  invalid_idempotency_key: {
    status: 400,
    title: 'The Idempotency-Key is not valid',
    help: 'Send 1 to 255 printable ASCII characters, such as a UUID.',
  },
  idempotency_key_not_supported: {
    status: 400,
    title: 'This request cannot be sent with an Idempotency-Key',
    help: 'Remove the header. Only POST requests that create a resource support it.',
  },
  invalid_if_match: {
    status: 400,
    title: 'The If-Match header is not valid',
    help: 'Send the `ETag` exactly as you received it, including the quotes, or `*`.',
  },
  if_match_not_supported: {
    status: 400,
    title: 'This request cannot be sent with an If-Match',
    help: 'Remove the header: this route has no tag to compare.',
  },
  bad_request: {
    status: 400,
    title: 'The request is not valid HTTP',
    help: 'Check the program that builds the request. A proxy or a client sent something that is not HTTP.',
  },
  unauthenticated: {
    status: 401,
    title: 'A valid API key is required',
    help: 'Send a key as `Authorization: Bearer <key>`. The key may have been revoked, or the session may have ended.',
  },
  second_factor_required: {
    status: 401,
    title: 'A second factor is required',
    help: 'Send the same request again with `second_factor`: a code of the authenticator app, or a recovery code.',
  },
  insufficient_role: {
    status: 403,
    title: 'The API key does not have permission',
    help: 'Use a key with the role in `detail`. An admin can create one.',
  },
  probe_disabled: {
    status: 403,
    title: 'The probe is disabled',
    help: 'Enable the probe, or stop it. While it is disabled, its location is ignored.',
  },
  origin_not_allowed: {
    status: 403,
    title: 'The request comes from another site',
    help: 'Open the dashboard under its own URL. Set `PUBLIC_URL` or `ALLOWED_HOSTS`, and configure the proxy to pass `Host` and `Origin`.',
  },
  not_found: {
    status: 404,
    title: 'Not found',
    help: 'Check the ID: the resource may have been deleted, or may belong to a different organization than the key.',
  },
  method_not_allowed: {
    status: 405,
    title: 'The method is not allowed here',
    help: 'Use a method listed in `Allow`.',
  },
  request_timeout: {
    status: 408,
    title: 'The request took too long to arrive',
    help: 'Send the whole request within 30 seconds, and the body within 5 seconds if the route needs no key.',
  },
  conflict: {
    status: 409,
    title: 'The request conflicts with the current state',
    help: 'See `detail` for the reason. Fetch the current state before you try again.',
  },
  probe_offline: {
    status: 409,
    title: 'The probe is not online',
    help: 'Start the probe, or check from another location. `GET /api/v1/probes` lists the probes that are online.',
  },
  session_replaced: {
    status: 409,
    title: 'Another process uses this token',
    help: 'Poll with `standby: true`. This process takes over when the other one stops responding.',
  },
  protocol_unsupported: {
    status: 409,
    title: 'The protocol version is not supported',
    help: 'Use a protocol version listed in `supported`. If the service is older than the probe, update the service first.',
  },
  idempotency_key_in_use: {
    status: 409,
    title: 'The first request with this Idempotency-Key is still running',
    help: 'Wait for the time in `Retry-After`, then send the request again.',
  },
  quota_exceeded: {
    status: 409,
    title: 'The organization has reached a limit',
    help: 'Delete resources that you no longer need, or ask the operator for a higher quota. `quota` contains the limit and the usage.',
  },
  precondition_failed: {
    status: 412,
    title: 'The resource was changed in the meantime',
    help: 'Fetch the resource again, reapply your change, and send the new `ETag`.',
  },
  payload_too_large: {
    status: 413,
    title: 'The body is too large',
    help: 'Send less at a time: at most 128 KiB, 8 MiB for a document, or 256 KiB for the results of a probe.',
  },
  uri_too_long: { status: 414, title: 'The URL is too long', help: 'Shorten the query string.' },
  unsupported_media_type: {
    status: 415,
    title: 'The media type of the body is not supported',
    help: 'Send `Content-Type: application/json`, or what the route documents, without a `Content-Encoding`.',
  },
  expectation_failed: { status: 417, title: 'The expectation cannot be met', help: 'Remove the `Expect` header.' },
  idempotency_key_reused: {
    status: 422,
    title: 'The Idempotency-Key belongs to another request',
    help: 'Use a new key for a new request. The same key requires the same body and URL.',
  },
  target_not_allowed: {
    status: 422,
    title: 'The target is not allowed',
    help: 'The operator decides which targets are allowed: `EGRESS_PRIVATE`, `EGRESS_ALLOW`, `EGRESS_DENY`.',
  },
  rate_limited: {
    status: 429,
    title: 'Too many requests',
    help: 'Wait for the time in `Retry-After`, then send requests more slowly.',
  },
  headers_too_large: {
    status: 431,
    title: 'The request headers are too large',
    help: 'Send fewer headers or cookies: at most 16 KiB in total.',
  },
  internal_error: {
    status: 500,
    title: 'Something went wrong on our side',
    help: 'Try again. If the error persists, look up `request_id` in the log and report it.',
  },
  storage_unavailable: {
    status: 503,
    title: 'The database is not available',
    help: 'Try again after the time in `Retry-After`. If the error persists, the operator has to check the database. Checks continue, and their results are kept.',
  },
  temporarily_unavailable: {
    status: 503,
    title: 'Temporarily unavailable',
    help: 'Try again after the time in `Retry-After`. See `detail` for the reason: either the service is overloaded, and needs more capacity if that persists, or the single sign-on provider is unavailable.',
  },
  shutting_down: {
    status: 503,
    title: 'The service is shutting down',
    help: 'Try again after the time in `Retry-After`. Another instance will respond, or this one after its restart.',
  },
} as const;
export type ProblemCode = keyof typeof PROBLEMS;

/** A limit that the request would have exceeded. */
export interface QuotaUse {
  name: string;
  limit: number;
  used: number;
}

/** An error response. It can be thrown anywhere, and `ProblemFilter` writes it. `detail` is public. */
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

/** The problem for a probe whose protocol this service doesn't support. */
export class ProtocolUnsupported extends Problem {
  constructor(readonly supported: readonly number[]) {
    super('protocol_unsupported', `Use one of these protocol versions: ${supported.join(', ')}.`);
  }
}

/** The maximum number of field errors that are reported. The search may stop at this number. */
export const MAX_ERRORS = 20;

/** The problems that services and controllers throw. Equal cases share the same text. */
export const problems = {
  notFound: () => new Problem('not_found', 'Nothing exists at this URL, or it belongs to another organization.'),
  /**
   * For a resource that is referenced in a body field. Unknown and deleted resources, and resources of other
   * organizations, get the same problem.
   */
  referenceNotFound: (pointer: string, message: string) =>
    new Problem('not_found', 'A field refers to a resource that does not exist, or belongs to another organization.', [
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
    new Problem('invalid_cursor', 'Use the unchanged cursor from the previous page of the same list.'),
  unauthenticated: (detail = 'Send a valid API key as "Authorization: Bearer <key>" or "X-API-Key: <key>".') =>
    new Problem('unauthenticated', detail, [], {
      'WWW-Authenticate': 'Bearer realm="api"',
    }),
  /** Used if the first factor was correct. */
  secondFactorRequired: () =>
    new Problem('second_factor_required', 'Send second_factor: a code of your authenticator app, or a recovery code.'),
  /** Used for every kind of invalid probe token. */
  unknownProbe: () =>
    new Problem('unauthenticated', 'Send the token of a probe as "Authorization: Bearer ump_…".', [], {
      'WWW-Authenticate': 'Bearer realm="probe"',
    }),
  probeDisabled: () =>
    new Problem('probe_disabled', 'An administrator has disabled this probe. Stop all checks, and poll again later.'),
  sessionReplaced: () =>
    new Problem('session_replaced', 'A newer process uses this token. Poll with "standby": true from now on.'),
  probeOffline: (location: string) =>
    new Problem('probe_offline', `No check can run at ${location} now, because the probe is not online.`),
  insufficientRole: (needed: string) =>
    new Problem('insufficient_role', `This requires an API key with the role "${needed}".`),
  targetNotAllowed: (errors: readonly FieldProblem[]) =>
    new Problem(
      'target_not_allowed',
      'The egress policy of this installation does not allow the target.',
      errors.slice(0, MAX_ERRORS),
    ),
  conflict: (detail: string, errors: readonly FieldProblem[] = []) =>
    new Problem('conflict', detail, errors.slice(0, MAX_ERRORS)),
  /** `onlyWeak` means that only weak tags were sent, which never match. */
  preconditionFailed: (onlyWeak: boolean) =>
    new Problem(
      'precondition_failed',
      onlyWeak
        ? 'A weak tag (W/"…") never matches; a proxy that compresses responses may have made it weak. Send the tag without W/. Nothing was changed.'
        : 'The resource has changed since you read it, and nothing was updated. Fetch it again, reapply your change, and send the new ETag.',
    ),
  quotaExceeded: (quota: QuotaUse, what: string, errors: readonly FieldProblem[] = []) =>
    new Problem(
      'quota_exceeded',
      `The organization may have at most ${quota.limit} ${what}, and has ${quota.used}. Delete some, or ask the operator for a higher limit.`,
      errors,
      {},
      quota,
    ),
  storageUnavailable: () =>
    new Problem('storage_unavailable', 'Try again in a few seconds.', [], { 'Retry-After': '5' }),
  temporarilyUnavailable: () =>
    new Problem('temporarily_unavailable', 'The service is overloaded. Try again in a few seconds.', [], {
      'Retry-After': '2',
    }),
  shuttingDown: () =>
    new Problem('shutting_down', 'Another instance will respond, or this one after its restart.', [], {
      'Retry-After': '5',
    }),
  bodyTooSlow: () => new Problem('request_timeout', 'The body did not arrive in time. Send the whole request at once.'),
  rateLimited: (retryAfterSeconds: number) =>
    new Problem('rate_limited', 'Slow down, and send the request again after the time in Retry-After.', [], {
      'Retry-After': String(retryAfterSeconds),
    }),
} as const;
