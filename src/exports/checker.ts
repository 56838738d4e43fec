// The exports of `uptime-monitor/checker`: everything that a checker needs.
import '../platform/openapi/written-properties';

export type { Assertion, AssertionSource } from '../checker/assertion/assertion';
export { down, resultOf, unknown, up } from '../checker/check-failure';
export * as field from '../channel/config/config-fields';
export { Dialogue, line, type Read, type Reader, Refused } from '../checker/dialogue';
export { NetworkSettings } from '../checker/network-settings';
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
  type SettingsProblem,
} from '../checker/checker';
export { Dialer } from '../platform/net/dial/dialer';
