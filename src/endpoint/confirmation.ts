import { OUTCOME_CODE } from './outcome-code';

/** How many failed checks in a row confirm a failure of an endpoint without alert rules. */
const CHECKS_WITHOUT_RULES = 2;

/** SQL expression: the types whose first failure is certain, because no check is repeated. */
const IS_CERTAIN = (type: string): string => `${type} IN ('HEARTBEAT', 'PROBE')`;

/**
 * SQL condition: the endpoint is down, but the failure isn't confirmed yet. It is confirmed as soon as one of its alert
 * rules would trigger if nothing suppressed it, or after two failed checks if it has no rule. Cost: for an endpoint
 * that is down, lookups in three small indexes.
 */
export const isVerifyingSql = (endpointId: string, type: string): string => `EXISTS (
  SELECT FROM endpoint_state v WHERE v.endpoint_id = ${endpointId} AND v.status = ${OUTCOME_CODE.down}
     AND NOT EXISTS (SELECT FROM incident_member m WHERE m.endpoint_id = v.endpoint_id AND m.ended_at IS NULL)
     AND CASE WHEN EXISTS (SELECT FROM alert a WHERE a.endpoint_id = v.endpoint_id AND a.enabled)
         THEN NOT EXISTS (
           SELECT FROM alert a WHERE a.endpoint_id = v.endpoint_id AND a.enabled
              AND a.failure_threshold <= CASE a.condition WHEN 'degraded' THEN v.consecutive_bad ELSE v.consecutive_failures END
              AND a.after_seconds <= greatest(0, extract(epoch FROM now() - v.failing_since)))
         ELSE NOT ${IS_CERTAIN(type)} AND v.consecutive_failures < ${CHECKS_WITHOUT_RULES} END)`;

/**
 * SQL expression: how many seconds an outage of an endpoint (`e`) lasts at least if it was confirmed. With a threshold
 * of three checks, it is between two and three intervals.
 */
export const confirmedSecondsSql = (e: string): string => `COALESCE(
  (SELECT min(greatest((a.failure_threshold - 0.5) * ${e}.interval_seconds, a.after_seconds)) FROM alert a
    WHERE a.endpoint_id = ${e}.id AND a.enabled),
  CASE WHEN ${IS_CERTAIN(`${e}.type`)} THEN 0 ELSE ${CHECKS_WITHOUT_RULES - 0.5} * ${e}.interval_seconds END)`;
