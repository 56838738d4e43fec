import { Injectable } from '@nestjs/common';
import { down, resultOf, unknown } from '../../../checker/check-failure';
import { Checker, type CheckRequest, type CheckResult, InvalidTarget } from '../../../checker/checker';
import { WorkerDatabase } from '../../../platform/database/database';
import { BoundedMap } from '../../../platform/cache/bounded-map';
import { VERSION } from '../../../platform/version';
import { LOCATION_PATTERN, SHARED_PREFIX } from '../../../probe/probe-directory';
import { probeStatus } from '../../../probe/probe-status';
import { type CountedLosses, type SeenProbe, warningOf } from './probe-health';

const PREFIX = 'probe:';
const LOCATION = new RegExp(LOCATION_PATTERN);
const MAX_KNOWN = 10_000;

// Cost: one lookup in a unique index, and a scan of the probes that the operator shares.
const READ = `
  SELECT id, ${probeStatus('p')} = 'online' AS online, version, clock_offset_ms AS "clockOffsetMs", coalesce(dropped, 0)::float8 AS dropped,
         coalesce(skipped, 0)::float8 AS skipped
    FROM probe p
   WHERE (org_id = $1::uuid AND key = $2::text) OR (org_id IS NULL AND '${SHARED_PREFIX}' || key = $2::text)`;

/** Checks whether a probe is online, so that all endpoint features, such as alerts, also work for probes. */
@Checker('PROBE')
@Injectable()
export class ProbeChecker implements Checker<string> {
  readonly targetForm = '`probe:<location>`';
  readonly assertionSources = [] as const;
  /** Each probe's losses at its previous check. */
  private readonly losses = new BoundedMap<string, CountedLosses>(MAX_KNOWN);

  constructor(private readonly database: WorkerDatabase) {}

  parseTarget(url: string): string {
    const location = url.startsWith(PREFIX) ? url.slice(PREFIX.length) : '';
    if (!LOCATION.test(location))
      throw new InvalidTarget(`the target must be the location of a probe; the accepted form is ${this.targetForm}`);
    return location;
  }

  async check({ target, egress }: CheckRequest<string>): Promise<CheckResult> {
    const [probe] = await this.database.query<SeenProbe & { id: string }>(READ, [egress.organization, target]);
    // The probe was deleted by an older version, which allowed the deletion of probes in use. Users who monitor the
    // probe are notified of that.
    if (!probe) return resultOf(down('probe_offline', 'internal', `The probe ${target} does not exist.`));
    if (!probe.online) return resultOf(down('probe_offline', 'internal', `The probe ${target} is not online.`));
    const warning = warningOf(target, probe, this.losses.get(probe.id) ?? null, VERSION);
    this.losses.set(probe.id, { dropped: probe.dropped, skipped: probe.skipped });
    const { outcome: _outcome, error: _error, ...nothing } = resultOf(unknown('internal', 'internal', ''));
    return { ...nothing, outcome: 'up', error: null, warning };
  }
}
