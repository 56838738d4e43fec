import { createParamDecorator, SetMetadata, type ExecutionContext } from '@nestjs/common';
import type { Request } from 'express';
import type { Permission, Role } from './permissions';

export interface CallerPerson {
  /** A UUID. */
  id: string;
  name: string;
  /** Whether the person may call the operator's routes. */
  isOperator: boolean;
}

/** The caller of a request. The organization is determined only by the credentials. */
export interface Caller {
  orgId: string;
  orgName: string;
  /**
   * Whether this is the Default organization. Holders of its keys are trusted with the host, which the egress policy
   * takes into account.
   */
  isDefaultOrg: boolean;
  role: Role;
  /** The key's UUID, or `null` for a person and with AUTH=off. */
  keyId: string | null;
  /** The name of the key or the person. */
  keyName: string;
  /** The signed-in person, or `null` for a key and with AUTH=off. */
  person: CallerPerson | null;
  /** The hash of the session's cookie, absent if there is no session. Streams end when the session ends. */
  sessionId?: string;
}

/** A probe that authenticates with its token. It has no role and may call only the routes for probes. */
export interface ProbeCaller {
  /** A UUID. */
  probeId: string;
  /** The number of the probe's location, as stored in history. */
  number: number;
  /** A UUID, or `null` for a probe that the operator shares. */
  orgId: string | null;
}

/**
 * The callers that may use a route: those with a permission, or one of the others. `public` needs no key. `operator`
 * needs the operator token or an operator's session. `person` needs the session of a person with an account, whether or not they are in an organization. `probe`
 * needs a probe's token.
 */
export type AccessRule = Permission | 'public' | 'operator' | 'person' | 'probe';
export const ACCESS = Symbol('auth:access');

/** Sets who may call a route. A route without this decorator is rejected at run time and fails the access test. */
export const Access = (rule: AccessRule) => SetMetadata(ACCESS, rule);

export const NEEDS_ACCOUNTS = Symbol('auth:needs-accounts');
/** Marks routes that manage people. With AUTH=off, they return 409 to every caller. */
export const NeedsAccounts = () => SetMetadata(NEEDS_ACCOUNTS, true);

export const COUNTED_BY = Symbol('auth:counted-by');
/** Names the limit for a public route that one address may call more than 20 times per second. */
export const CountedBy = (whom: string) => SetMetadata(COUNTED_BY, whom);

/**
 * A request with the guard's results. `isOperator` is set for holders of the operator token, who have no organization.
 */
export type AuthenticatedRequest = Request & {
  caller?: Caller;
  isOperator?: true;
  signedIn?: object;
  probe?: ProbeCaller;
};

function callerOf(context: ExecutionContext): Caller {
  const { caller } = context.switchToHttp().getRequest<AuthenticatedRequest>();
  if (!caller) throw new Error('the route has no caller: is it public?');
  return caller;
}

/**
 * Passes the caller's organization (UUID) to the handler, which passes it as the first argument to every service
 * method.
 */
export const OrgId = createParamDecorator((_: unknown, context: ExecutionContext): string => callerOf(context).orgId);

/**
 * Passes the whole caller to the handler. For routes that need the role (masking) or the kind of organization (egress).
 */
export const CurrentCaller = createParamDecorator((_: unknown, context: ExecutionContext): Caller => callerOf(context));

/** Passes the calling probe to the handler. For routes with the access rule `probe`. */
export const CallingProbe = createParamDecorator((_: unknown, context: ExecutionContext): ProbeCaller => {
  const { probe } = context.switchToHttp().getRequest<AuthenticatedRequest>();
  if (!probe) throw new Error('no probe calls the route: its access is another one');
  return probe;
});
