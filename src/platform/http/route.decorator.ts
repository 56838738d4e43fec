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

/** Headers of a response (`...WITH_ETAG`), a sentence for the client about it, and whole examples where it has several forms. */
type Shown = Pick<ApiResponseOptions, 'headers' | 'description'> & {
  examples?: Record<string, { summary: string; value: unknown }>;
};

/** What a handler returns, and so the status: 200 for `ok`, `page`, `list` and `content`. `noContent` is a description, too. */
type Returns =
  | ({ ok: Type<object>; noContent?: string } & Shown)
  /** `at`: the path that the `Location` of what was created begins with. */
  | ({ created: Type<object>; at?: string } & Shown)
  | ({ page: Type<object> } & Shown)
  | ({ list: Type<object> } & Shown)
  /** By media type, as in OpenAPI. Most such handlers write the response themselves. */
  | ({ content: ResponseContent } & Shown)
  /** Sends the browser elsewhere; where to, in words. */
  | { redirect: string }
  | { noContent: string };
type ResponseContent = NonNullable<ApiResponseOptions['content']>;

/** What the handler of a route with these `Returns` has to promise. */
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

/** Whether a route honours a header of safe requests; `refused` is a sentence for the client: why not. */
type HeaderRule = 'honoured' | { refused: string };

/** What the method of a route asks for besides. */
interface OfMethod {
  GET: { idempotencyKey?: never; ifMatch?: never; servedBeyondQuota?: never };
  /** `honoured`: see `@Idempotent` for what the handler must not do then. */
  POST: { idempotencyKey: HeaderRule; ifMatch?: never; servedBeyondQuota?: true };
  /** `honoured`: its service calls `requireMatch`. */
  PUT: { ifMatch: HeaderRule; idempotencyKey?: never; servedBeyondQuota?: true };
  DELETE: { ifMatch: HeaderRule; idempotencyKey?: never; servedBeyondQuota?: true };
}

interface Described<R extends Returns> extends Pick<ApiOperationOptions, 'requestBody'> {
  /** Who may call it; `public` needs no key. */
  access: AccessRule;
  /** It is about people, of whom there are none with AUTH=off: 409 then. Routes for persons are, anyway. */
  needsAccounts?: true;
  /** Of a public route that one address may ask more often than 20 times a second: who bounds it instead, in words. */
  countedBy?: string;
  /** Tokens of the rate limit; without it 1. */
  cost?: CostOf;
  /** The name of its function in a generated client. */
  operationId: string;
  summary: string;
  description: string;
  returns: R;
  /** What its service refuses. What follows from its parameters is added: see `withOperationsCompleted`. */
  problems?: readonly ProblemCode[];
}

/**
 * A route: its path within that of the controller, who may call it, how it is documented, and what its method has to decide.
 * Does what Nest's `@Get(path)` and so on with `@Access`, `@ApiOperation`, `@Problems` and the others do. The parameters of
 * the handler are Nest's, besides `@IdParam`; other decorators may stand below.
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
      // For a key, and for the session of one, it does not exist.
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

/** How one proves who one is, where that is no key. */
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
