import { applyDecorators, Delete, Get, HttpCode, Post, Put, type Type } from '@nestjs/common';
import { ApiOperation, type ApiOperationOptions, ApiResponse, type ApiResponseOptions } from '@nestjs/swagger';
import { Access, type AccessRule, CountedBy, NeedsAccounts } from '../access/caller';
import { Cost, type CostOf, ServedBeyondQuota } from '../access/cost';
import type { ProblemCode } from '../problem/problem';
import { Problems, PublicProblems } from '../problem/problems.decorator';
import { Idempotent, RefusesIdempotencyKey } from './idempotency/idempotent.decorator';
import { LocatedAt } from './location.interceptor';
import type { Page } from './page';
import { HonoursIfMatch, RefusesIfMatch } from './precondition/precondition.decorator';

const METHODS = { GET: Get, POST: Post, PUT: Put, DELETE: Delete };
type Method = keyof typeof METHODS;

/**
 * Response headers (`...WITH_ETAG`), a sentence for the client, and complete examples if the response has several
 * forms.
 */
type Shown = Pick<ApiResponseOptions, 'headers' | 'description'> & {
  examples?: Record<string, { summary: string; value: unknown }>;
};

/**
 * The result of a handler, which also determines the status: 200 for `ok`, `page`, `list`, and `content`. The value of
 * `noContent` is also a description.
 */
type Returns =
  | ({ ok: Type<object>; noContent?: string } & Shown)
  /** `at` is the path prefix for the `Location` header. */
  | ({ created: Type<object>; at?: string } & Shown)
  | ({ page: Type<object> } & Shown)
  | ({ list: Type<object> } & Shown)
  /** Response content by media type, as in OpenAPI. Most of these handlers write the response themselves. */
  | ({ content: ResponseContent } & Shown)
  /** Redirects the browser. The value describes the target. */
  | { redirect: string }
  | { noContent: string };
type ResponseContent = NonNullable<ApiResponseOptions['content']>;

type Returned<R extends Returns> = R extends { page: Type<infer View> }
  ? Page<View>
  : R extends { list: Type<infer View> }
    ? View[]
    : R extends { created: Type<infer View> }
      ? View
      : R extends { ok: Type<infer View> }
        ? View | (R extends { noContent: string } ? undefined : never)
        : R extends { noContent: string } | { redirect: string }
          ? void
          : string | void;

/** Whether a route honors the header. If not, `refused` is a sentence for the client that gives the reason. */
type HeaderRule = 'honoured' | { refused: string };

/** The decisions that each HTTP method requires. */
interface OfMethod {
  GET: { idempotencyKey?: never; ifMatch?: never; servedBeyondQuota?: never };
  /** `honoured`: see `@Idempotent` for what the handler must not do. */
  POST: { idempotencyKey: HeaderRule; ifMatch?: never; servedBeyondQuota?: true };
  /** `honoured`: the service must call `requireMatch`. */
  PUT: { ifMatch: HeaderRule; idempotencyKey?: never; servedBeyondQuota?: true };
  DELETE: { ifMatch: HeaderRule; idempotencyKey?: never; servedBeyondQuota?: true };
}

interface Described<R extends Returns> extends Pick<ApiOperationOptions, 'requestBody'> {
  access: AccessRule;
  /**
   * The route manages people, who don't exist with AUTH=off, so it then returns 409. Routes with access `person` always
   * do this.
   */
  needsAccounts?: true;
  /** Names the limit for a public route that one address may call more than 20 times per second. */
  countedBy?: string;
  /** Rate limit tokens per request. Default: 1. */
  cost?: CostOf;
  /** The function name in generated clients. */
  operationId: string;
  summary: string;
  description: string;
  returns: R;
  /**
   * The problems that the route's service reports. `withOperationsCompleted` adds problems that follow from the
   * parameters.
   */
  problems?: readonly ProblemCode[];
}

/**
 * Declares a route: its path below the controller's path, who may call it, its documentation, and the decisions that
 * its method requires. Replaces Nest's `@Get(path)` and similar decorators, `@Access`, `@ApiOperation`, `@Problems`,
 * and others. The handler's parameters use Nest's decorators and `@IdParam`. Other decorators may follow this one.
 */
export const Route =
  <M extends Method, const R extends Returns>(method: M, path: string, route: Described<R> & OfMethod[M]) =>
  <Handler extends (...parameters: never[]) => Promise<Returned<R>>>(
    controller: object,
    name: string,
    handler: TypedPropertyDescriptor<Handler>,
  ): void => {
    const { returns, needsAccounts, problems: own = [], ...rest }: Described<R> & OfMethod[Method] = route;
    const { access, countedBy, cost, idempotencyKey, ifMatch, servedBeyondQuota, ...operation } = rest;
    const isWithoutKey = access === 'public' || access === 'probe';
    const isAboutPeople = needsAccounts === true || access === 'person';
    const problems: readonly ProblemCode[] = [
      ...own,
      ...(isAboutPeople ? (['conflict'] as const) : []),
      // For a key and for a session that was opened with a key, the resource does not exist.
      ...(access === 'person' ? (['not_found'] as const) : []),
      ...(access === 'probe' ? (['unauthenticated', 'probe_disabled', 'rate_limited'] as const) : []),
    ];
    applyDecorators(
      METHODS[method](path),
      Access(access),
      ...(countedBy === undefined ? [] : [CountedBy(countedBy)]),
      ...(isAboutPeople ? [NeedsAccounts()] : []),
      ...(cost ? [Cost(cost)] : []),
      ...(servedBeyondQuota ? [ServedBeyondQuota()] : []),
      ...ruled(idempotencyKey, Idempotent, RefusesIdempotencyKey),
      ...ruled(ifMatch, HonoursIfMatch, RefusesIfMatch),
      ApiOperation({ ...operation, ...SECURITY[access] }),
      ...responses(returns),
      isWithoutKey ? PublicProblems(...problems) : Problems(...problems),
    )(controller, name, handler);
  };

/** How callers authenticate if they don't use a key. */
const SECURITY: Readonly<Partial<Record<AccessRule, Pick<ApiOperationOptions, 'security'>>>> = {
  public: { security: [] },
  person: { security: [{ session: [] }] },
  probe: { security: [{ probe_token: [] }] },
};

const ruled = <D>(rule: HeaderRule | undefined, honours: () => D, refuses: (why: string) => D): D[] =>
  rule === undefined ? [] : [rule === 'honoured' ? honours() : refuses(rule.refused)];

interface AnyReturns extends Shown {
  ok?: Type<object>;
  created?: Type<object>;
  at?: string;
  page?: Type<object>;
  list?: Type<object>;
  content?: ResponseContent;
  noContent?: string;
  redirect?: string;
}

const LOCATION = { Location: { description: 'The target URL.', schema: { type: 'string' as const } } };

function responses({ ok, created, at, page, list, noContent, redirect, ...shown }: AnyReturns): MethodDecorator[] {
  if (redirect !== undefined)
    return [HttpCode(303), ApiResponse({ status: 303, description: redirect, headers: LOCATION })];
  const type = ok ?? created ?? page ?? list;
  const status = created ? 201 : type || shown.content ? 200 : 204;
  return [
    HttpCode(status),
    ...(status === 204 ? [] : [ApiResponse({ ...shown, status, type, isArray: (page ?? list) !== undefined })]),
    ...(noContent === undefined ? [] : [ApiResponse({ status: 204, description: noContent })]),
    ...(at === undefined ? [] : [LocatedAt(at)]),
  ];
}
