import { createParamDecorator, SetMetadata, type ExecutionContext } from '@nestjs/common';
import type { Request } from 'express';

/** What a key may do; each role includes the ones before it. */
export const ROLES = ['read', 'write', 'admin'] as const;
export type Role = (typeof ROLES)[number];

/** Of whom a request is. */
export interface CallerPerson {
  /** uuid. */
  id: string;
  name: string;
  /** May call the operator's routes. */
  isOperator: boolean;
}

/** Who makes the request. The organization comes from the key and from nowhere else. */
export interface Caller {
  orgId: string;
  orgName: string;
  /** The first organization: holders of its keys run the machine, which the egress policy takes into account. */
  isDefaultOrg: boolean;
  role: Role;
  /** uuid of the key; `null` for a person and with AUTH=off. */
  keyId: string | null;
  /** Name of the key or of the person. */
  keyName: string;
  /** Who is signed in with an account; `null` for a key and with AUTH=off. */
  person: CallerPerson | null;
  /** The hash of a session's cookie; absent without a session. A stream ends with it. */
  sessionId?: string;
}

/** A probe that calls by its token. It has no role: it may call the routes for probes and no other. */
export interface ProbeCaller {
  /** uuid. */
  probeId: string;
  /** Of its location, as history stores it. */
  number: number;
  /** uuid; `null` for one that the operator shares. */
  orgId: string | null;
}

/**
 * Who may call a route. `public` needs no key, `operator` the operator token or a person who is one, `person` the session of
 * somebody with an account, in whatever organization or in none, `probe` the token of a probe.
 */
export type AccessRule = Role | 'public' | 'operator' | 'person' | 'probe';
export const ACCESS = Symbol('auth:access');

/** Every route has one; a route without it is refused at run time and fails the access test. */
export const Access = (rule: AccessRule) => SetMetadata(ACCESS, rule);

export const NEEDS_ACCOUNTS = Symbol('auth:needs-accounts');
/** For routes about people: 409 with AUTH=off, whoever asks. */
export const NeedsAccounts = () => SetMetadata(NEEDS_ACCOUNTS, true);

export const COUNTED_BY = Symbol('auth:counted-by');
/** For public routes that one address may ask more often than 20 times a second: who bounds them instead, in words. */
export const CountedBy = (whom: string) => SetMetadata(COUNTED_BY, whom);

/** With what the guard found: `isOperator` for holders of the operator token, who have no organization. */
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

/** The caller's organization (uuid): first argument of every service method. */
export const OrgId = createParamDecorator((_: unknown, context: ExecutionContext): string => callerOf(context).orgId);

/** The whole caller, where a route needs the role (masking) or the organization's kind (egress). */
export const CurrentCaller = createParamDecorator((_: unknown, context: ExecutionContext): Caller => callerOf(context));

/** The probe that calls a route with the access `probe`. */
export const CallingProbe = createParamDecorator((_: unknown, context: ExecutionContext): ProbeCaller => {
  const { probe } = context.switchToHttp().getRequest<AuthenticatedRequest>();
  if (!probe) throw new Error('no probe calls the route: its access is another one');
  return probe;
});
