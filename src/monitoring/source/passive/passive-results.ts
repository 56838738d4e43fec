import type { CheckResult } from '../../../checker/checker';
import type { Recorded } from '../../../engine/queue/pending-checks';

/**
 * Takes the results of endpoints whose checks the service does not run, for example because an
 * extension's checker is passive. Streaks, history, and alerts follow from them as from any check.
 */
export abstract class PassiveResults {
  /**
   * Records a result, and resolves when it is committed. `endpointId` is a UUID. Results for one endpoint must be sent
   * one after another. Throws: `not_found`, `conflict` if the endpoint's type is not passive, and an error if the result
   * is invalid.
   */
  abstract take(orgId: string, endpointId: string, result: CheckResult): Promise<Recorded>;
}
