// The exports of `uptime-monitor/checker`: everything that a checker needs.
export type { Assertion, AssertionSource } from '../checker/assertion/assertion';
export { down, resultOf, unknown } from '../checker/check-failure';
export { CheckResultBuilder } from '../checker/check-result-builder';
export {
  Checker,
  type CheckError,
  type CheckPhase,
  type CheckRequest,
  type CheckResult,
  ERROR_CODES,
  type ErrorCode,
  type HostPort,
  InvalidTarget,
  type Outcome,
  parseHostPort,
} from '../checker/checker';
export { Dialer } from '../platform/net/dial/dialer';
