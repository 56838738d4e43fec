import type { Checker, CheckRequest } from '../checker/checker';

/** What it takes to ask a target once. */
export interface PreparedCheck {
  timeoutMs: number;
  checker: Checker;
  request: CheckRequest<unknown>;
}

/** An endpoint made ready to be checked: parsed once, used until its revision changes. */
export interface CheckDefinition extends PreparedCheck {
  endpointId: string;
  endpointKey: string;
  orgId: string;
  revision: number;
}
