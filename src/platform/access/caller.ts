import { createParamDecorator, SetMetadata, type ExecutionContext } from '@nestjs/common';
import type { Request } from 'express';

/** The permissions of a key. Each role includes the previous ones. */
export const ROLES = ['read', 'write', 'admin'] as const;
export type Role = (typeof ROLES)[number];

/** The person who sent a request. */
export interface CallerPerson {
  /** UUID. */
  id: string;
  name: string;
  /** Whether the person may call the operator's routes. */
  isOperator: boolean;
}

/** The caller of a request. The organization comes from the credentials and from nowhere else. */
export interface Caller {
  orgId: string;
  orgName: string;
  /**
   * Whether this is the Default organization. Holders of its keys run the machine, which the egress policy takes into
   * account.
   */
  isDefaultOrg: boolean;
  role: Role;
  /** The UUID of the key, or `null` for a person and with AUTH=off. */
  keyId: string | null;
  /** The name of the key or of the person. */
  keyName: string;
  /** The signed-in person, or `null` for a key and with AUTH=off. */
  person: CallerPerson | null;
  /** The hash of a session's cookie, absent without a session. Streams end when the session ends. */
  sessionId?: string;
}

/** A probe that authenticates with its token. It has no role and may call only the routes for probes. */
export interface ProbeCaller {
  /** UUID. */
  probeId: string;
  /** The number of its location, as stored in history. */
  number: number;
  /** A UUID, or `null` for a probe that the operator shares. */
  orgId: string | null;
}

/**
 * The callers that may use a route. `public` needs no key. `operator` needs the operator token or an operator's
 * session. `person` needs the session of a person with an account, in any organization or none. `probe` needs the token
 * of a probe.
 */
export type AccessRule = Role | 'public' | 'operator' | 'person' | 'probe';
export const ACCESS = Symbol('auth:access');

/** Sets who may call a route. A route without it is refused at run time and fails the access test. */
export const Access = (rule: AccessRule) => SetMetadata(ACCESS, rule);

export const NEEDS_ACCOUNTS = Symbol('auth:needs-accounts');
/** Marks routes about people. They return 409 to every caller with AUTH=off. */
export const NeedsAccounts = () => SetMetadata(NEEDS_ACCOUNTS, true);

export const COUNTED_BY = Symbol('auth:counted-by');
/** Names the limit on a public route that one address may call more than 20 times a second. */
export const CountedBy = (whom: string) => SetMetadata(COUNTED_BY, whom);

/**
 * A request with the results of the guard. `isOperator` is set for holders of the operator token, who have no
 * organization.
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

/** Passes the caller's organization (UUID) to the handler. It is the first argument of every service method. */
export const OrgId = createParamDecorator((_: unknown, context: ExecutionContext): string => callerOf(context).orgId);

/**
 * Passes the whole caller to the handler, for routes that need the role (masking) or the kind of organization (egress).
 */
export const CurrentCaller = createParamDecorator((_: unknown, context: ExecutionContext): Caller => callerOf(context));

/** Passes the calling probe to the handler of a route with the access `probe`. */
export const CallingProbe = createParamDecorator((_: unknown, context: ExecutionContext): ProbeCaller => {
  const { probe } = context.switchToHttp().getRequest<AuthenticatedRequest>();
  if (!probe) throw new Error('no probe calls the route: its access is another one');
  return probe;
});
