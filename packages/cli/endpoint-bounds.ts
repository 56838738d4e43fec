import { DEFAULT_WARN_DAYS, MAX_WARN_DAYS } from '../../src/checker/certificate-warning';
import { INTERVAL_BOUNDS, TIMEOUT_BOUNDS } from '../../src/platform/config/check-bounds';

/** The limits for endpoint fields, in seconds and days. Commands check them before they send a request. */
export const ENDPOINT_BOUNDS = {
  interval: INTERVAL_BOUNDS,
  timeout: TIMEOUT_BOUNDS,
  warnDays: { minimum: 0, maximum: MAX_WARN_DAYS, default: DEFAULT_WARN_DAYS },
} as const;
