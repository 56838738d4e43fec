/** An invalid field. `pointer` is an RFC 6901 JSON pointer into the body, or `?name` for a query parameter. */
export interface FieldProblem {
  pointer: string;
  code: FieldProblemCode;
  message: string;
  /** 1-based line, if the body is a document. */
  line?: number | null;
}

/** All problems of a field, with the fix. Codes are stable, texts may change. */
export const FIELD_PROBLEMS = {
  required: 'Send the field.',
  wrong_type: 'Send a value of the type that the message names: text, number, true or false, list, object.',
  out_of_range: 'Send a number, or a count of items, between the bounds of the message.',
  too_long: 'Shorten the text, or send fewer items.',
  invalid_format: 'Write the value as the message says; the schema has an example.',
  invalid_characters: 'Take out characters that are not allowed here, such as control characters.',
  unsupported_scheme: 'Use a scheme that fits the type: `https://` for HTTPS, `tcp://` for TCP.',
  unsupported_type: 'Use one of the types that the message lists; an extension may bring more.',
  unknown_location:
    'Name `local`, the key of a probe of yours, or `shared/` and that of one which the operator shares; one that is disabled is none.',
  type_not_supported: 'The probe has said that it does not check this type: choose another one, or update it.',
  exceeds_locations: 'Lower the quorum, or name more locations.',
  not_supported: 'Leave the field at its default: this type has no other value, as the message says.',
  credentials_in_url: 'Move user and password out of the URL, into a header.',
  forbidden_header: 'Leave out this header: the service sets it.',
  invalid_config: 'Correct the setting of the channel that the pointer names.',
  unknown_field: 'Take out the field, or correct its spelling.',
  immutable: 'This cannot change: create another one.',
  read_only: 'Leave the field out: it is set elsewhere, as the message says.',
  not_found: 'Nothing with this id or key exists, or it is not yours: list what there is.',
  cycle: 'They depend on each other, back to the first: take one of them out.',
  in_past: 'Send a time that lies ahead.',
  never_due: 'The schedule has no time that ever comes: look at day and month.',
  overlaps_itself: 'It lasts longer than the time until it comes again: shorten one, or lengthen the other.',
  unknown_zone: 'Send a name of the IANA time zone database, such as `Europe/Berlin`.',
  invalid_syntax: 'Correct the line that is named; a quote, a colon or an indent is the usual cause.',
  duplicate_key: 'Two things have the same key, or a key stands twice in one object: rename one.',
  too_deep: 'Nest the value less deeply.',
  too_large: 'Make it smaller, or split it into several.',
  unreachable:
    'Nothing could be fetched from there: the message says what happened. Correct the address, or try again.',
  missing_secret: 'Set the variable that `$secret` names, or send the value.',
  other_owner: 'Another document owns it: change it there, or take it over by name.',
  reserved: 'The service gives this name a meaning of its own: choose another.',
  taken: 'Something else has this name or address already: choose another.',
  over_quota: 'Remove some, or ask the operator for more.',
  too_weak:
    'Choose a longer password that nobody can derive from what is known of you: several words that do not belong together.',
} as const;
export type FieldProblemCode = keyof typeof FIELD_PROBLEMS;

/** All problems of the API with status, title, and fix. Codes are stable, texts may change. */
export const PROBLEMS = {
  malformed_json: {
    status: 400,
    title: 'The body is not valid JSON',
    help: 'Correct the JSON: the detail says where reading stopped.',
  },
  malformed_document: {
    status: 400,
    title: 'The document cannot be read',
    help: 'Correct the lines under `errors`; the document is YAML or JSON of at most 8 MiB.',
  },
  invalid_encoding: { status: 400, title: 'The body is not valid UTF-8', help: 'Send the body as UTF-8.' },
  validation_failed: {
    status: 400,
    title: 'Some fields are not valid',
    help: 'Correct every field under `errors`: `pointer` says which, `code` what is wrong with it (second table).',
  },
  invalid_query: {
    status: 400,
    title: 'The query string is not valid',
    help: 'Correct the query parameters under `errors`; unknown ones are refused, too.',
  },
  invalid_cursor: {
    status: 400,
    title: 'The cursor is not valid',
    help: 'Follow `Link` or `X-Next-Cursor` of the last page unchanged, or begin without a cursor.',
  },
  invalid_idempotency_key: {
    status: 400,
    title: 'The Idempotency-Key is not valid',
    help: 'Send 1 to 255 printable ASCII characters, such as a UUID.',
  },
  idempotency_key_not_supported: {
    status: 400,
    title: 'This request cannot be sent with an Idempotency-Key',
    help: 'Leave the header out: only POST requests that make something take it.',
  },
  invalid_if_match: {
    status: 400,
    title: 'The If-Match is not valid',
    help: 'Send the `ETag` as it came, quotes included, or `*`.',
  },
  if_match_not_supported: {
    status: 400,
    title: 'This request cannot be sent with an If-Match',
    help: 'Leave the header out: this route has no tag to compare.',
  },
  bad_request: {
    status: 400,
    title: 'The request is not valid HTTP',
    help: 'Look at what builds the request: a proxy or an own client sent something that is no HTTP.',
  },
  unauthenticated: {
    status: 401,
    title: 'A valid API key is required',
    help: 'Send a key as `Authorization: Bearer <key>`. It may have been revoked; a session may have ended.',
  },
  second_factor_required: {
    status: 401,
    title: 'A second factor is required',
    help: 'Send the same request again with `second_factor`: a code of the authenticator app, or a recovery code.',
  },
  insufficient_role: {
    status: 403,
    title: 'The API key may not do this',
    help: 'Use a key with the role that the detail names; an admin can make one.',
  },
  probe_disabled: {
    status: 403,
    title: 'The probe is disabled',
    help: 'Enable the probe, or stop the program: until then its location neither votes nor counts.',
  },
  origin_not_allowed: {
    status: 403,
    title: 'The request comes from another site',
    help: 'Open the dashboard under its own address; set `PUBLIC_URL` or `ALLOWED_HOSTS`, and let the proxy pass `Host` and `Origin`.',
  },
  not_found: {
    status: 404,
    title: 'There is no such thing',
    help: 'Check the id: it may be deleted, or belong to another organization than the key.',
  },
  method_not_allowed: {
    status: 405,
    title: 'The method is not allowed here',
    help: 'Use a method that `Allow` lists.',
  },
  request_timeout: {
    status: 408,
    title: 'The request took too long to arrive',
    help: 'Send the whole request within 30 seconds, and the body within 5 where no key is needed.',
  },
  conflict: {
    status: 409,
    title: 'The request conflicts with the current state',
    help: 'The detail says what stands in the way; read the current state, then decide.',
  },
  probe_offline: {
    status: 409,
    title: 'The probe is not online',
    help: 'Start the probe, or check from another location: `GET /api/v1/probes` says who is online.',
  },
  session_replaced: {
    status: 409,
    title: 'Another process works with this token',
    help: 'Poll with `standby: true`: this process takes over when the other one falls silent.',
  },
  protocol_unsupported: {
    status: 409,
    title: 'The protocol is not spoken here',
    help: 'Speak one of `supported`; if the service is older than the probe, update the service first.',
  },
  idempotency_key_in_use: {
    status: 409,
    title: 'The first request with this Idempotency-Key still runs',
    help: 'Wait for `Retry-After`, then repeat: the first request has not ended.',
  },
  quota_exceeded: {
    status: 409,
    title: 'A limit of the organization is reached',
    help: 'Remove what is no longer needed, or ask the operator for a higher quota; `quota` has the limit and what is used.',
  },
  precondition_failed: {
    status: 412,
    title: 'Somebody else has changed it',
    help: 'Read the resource again, repeat your change on what it is now, and send its new `ETag`.',
  },
  payload_too_large: {
    status: 413,
    title: 'The body is too large',
    help: 'Send less at once: 128 KiB, 8 MiB for a document, 256 KiB for the results of a probe.',
  },
  uri_too_long: { status: 414, title: 'The address is too long', help: 'Shorten the query string.' },
  unsupported_media_type: {
    status: 415,
    title: 'The body has a media type that is not taken here',
    help: 'Send `Content-Type: application/json`, or what the route documents, without a `Content-Encoding`.',
  },
  expectation_failed: { status: 417, title: 'The expectation cannot be met', help: 'Leave out the `Expect` header.' },
  idempotency_key_reused: {
    status: 422,
    title: 'The Idempotency-Key belongs to another request',
    help: 'Use a new key for another request; the same key needs the same body and address.',
  },
  target_not_allowed: {
    status: 422,
    title: 'The target may not be contacted',
    help: 'The operator decides what may be contacted: `EGRESS_PRIVATE`, `EGRESS_ALLOW`, `EGRESS_DENY`.',
  },
  rate_limited: { status: 429, title: 'Too many requests', help: 'Wait for `Retry-After`, then go on more slowly.' },
  headers_too_large: {
    status: 431,
    title: 'The request headers are too large',
    help: 'Send fewer headers or cookies: 16 KiB together.',
  },
  internal_error: {
    status: 500,
    title: 'Something went wrong on our side',
    help: 'Repeat it; if it stays, look into the log for `request_id` and report it.',
  },
  storage_unavailable: {
    status: 503,
    title: 'The database is not available',
    help: 'Repeat it after `Retry-After`; the operator looks at the database. Checks go on and are kept.',
  },
  temporarily_unavailable: {
    status: 503,
    title: 'Temporarily unavailable',
    help: 'Repeat it after `Retry-After`. The detail says what is in the way: the service is overloaded, and needs more room if that stays, or the single sign-on is away.',
  },
  shutting_down: {
    status: 503,
    title: 'The service is shutting down',
    help: 'Repeat it after `Retry-After`: another instance answers, or this one after its restart.',
  },
} as const;
export type ProblemCode = keyof typeof PROBLEMS;

/** A limit that would have been exceeded. */
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

/** The problem of a probe whose protocol this service doesn't support. */
export class ProtocolUnsupported extends Problem {
  constructor(readonly supported: readonly number[]) {
    super('protocol_unsupported', `Speak one of these protocols: ${supported.join(', ')}.`);
  }
}

/** Maximum number of reported field errors. Searching may stop after this many. */
export const MAX_ERRORS = 20;

/** The problems that services and controllers throw. Equal cases share one text. */
export const problems = {
  notFound: () => new Problem('not_found', 'Nothing exists at this address, or it is not yours.'),
  /** For a resource that a field of the body names. Unknown, deleted, and foreign resources get the same problem. */
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
  unauthenticated: (detail = 'Send a valid API key as "Authorization: Bearer <key>" or "X-API-Key: <key>".') =>
    new Problem('unauthenticated', detail, [], {
      'WWW-Authenticate': 'Bearer realm="api"',
    }),
  /** For a correct first factor. */
  secondFactorRequired: () =>
    new Problem('second_factor_required', 'Send second_factor: a code of your authenticator app, or a recovery code.'),
  /** For every kind of invalid probe token. */
  unknownProbe: () =>
    new Problem('unauthenticated', 'Send the token of a probe as "Authorization: Bearer ump_…".', [], {
      'WWW-Authenticate': 'Bearer realm="probe"',
    }),
  probeDisabled: () =>
    new Problem('probe_disabled', 'An administrator has disabled this probe. Check nothing, and ask again later.'),
  sessionReplaced: () =>
    new Problem('session_replaced', 'A newer process polls with this token. Poll with "standby": true from now on.'),
  probeOffline: (location: string) =>
    new Problem('probe_offline', `Nothing can be checked from ${location} now: the probe is not online.`),
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
  /** `onlyWeak`: only weak tags were sent, which never match. */
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
    new Problem('temporarily_unavailable', 'The service is overloaded. Try again in a few seconds.', [], {
      'Retry-After': '2',
    }),
  shuttingDown: () =>
    new Problem('shutting_down', 'Another instance, or this one after its restart, will answer.', [], {
      'Retry-After': '5',
    }),
  bodyTooSlow: () => new Problem('request_timeout', 'The body did not arrive in time. Send the whole request at once.'),
  rateLimited: (retryAfterSeconds: number) =>
    new Problem('rate_limited', 'Slow down and repeat the request after the time in Retry-After.', [], {
      'Retry-After': String(retryAfterSeconds),
    }),
} as const;
