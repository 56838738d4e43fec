import type { Checker, CheckRequest } from '../checker/checker';

/** A checker, and the request to pass to it for one attempt. */
export interface PreparedCheck {
  timeoutMs: number;
  checker: Checker;
  request: CheckRequest<unknown>;
}

/** An endpoint prepared for checks. It is parsed once and used until its revision changes. */
export interface CheckDefinition extends PreparedCheck {
  endpointId: string;
  endpointKey: string;
  orgId: string;
  revision: number;
}
