import type { Checker, CheckRequest } from '../checker/checker';

/** A checker and its request for one attempt. */
export interface PreparedCheck {
  timeoutMs: number;
  checker: Checker;
  request: CheckRequest<unknown>;
}

/** An endpoint prepared for checks: parsed once, and used until its revision changes. */
export interface CheckDefinition extends PreparedCheck {
  endpointId: string;
  endpointKey: string;
  orgId: string;
  revision: number;
}
