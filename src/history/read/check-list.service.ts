import { Injectable } from '@nestjs/common';
import { EndpointService } from '../../endpoint/endpoint.service';
import { ServerSecrets } from '../../platform/secrets/server-secrets';
import { Config } from '../../platform/config/config';
import { Cursors, MEDIUM_ROWS } from '../../platform/http/cursors';
import type { Page } from '../../platform/http/page';
import { Clock } from '../../platform/time/clock';
import { checkId } from '../check-id';
import { CheckReader } from './check-reader';
import { type ChecksQuery, type CheckView, toCheckView } from './check.dto';
import { DAY_MS, dayNumber } from '../../platform/time/time-units';
import type { TimeRange } from '../time-range';

const DEFAULT_LIMIT = 100;

/** How far the clocks of other instances, which recorded the checks, may be ahead of ours. */
const AHEAD_MS = DAY_MS;

/** The recorded checks of one endpoint, newest first. */
@Injectable()
export class CheckListService {
  constructor(
    private readonly endpoints: EndpointService,
    private readonly reader: CheckReader,
    private readonly cursors: Cursors,
    private readonly secrets: ServerSecrets,
    private readonly clock: Clock,
    private readonly config: Config,
  ) {}

  /** A cursor's position is a time: no two checks of one endpoint have the same millisecond. */
  async list(orgId: string, endpointId: string, query: ChecksQuery): Promise<Page<CheckView>> {
    const { key } = await this.endpoints.require(orgId, endpointId);
    const page = await this.cursors.paginate({
      orgId,
      list: `checks:${endpointId}`,
      cursor: query.cursor,
      limit: query.limit ?? DEFAULT_LIMIT,
      rowsAtOnce: MEDIUM_ROWS,
      read: (position, limit) =>
        this.reader.read(
          { id: endpointId, key },
          {
            ...this.rangeOf(query, position),
            outcome: query.outcome ?? null,
            planned: query.planned ?? null,
            degraded: query.degraded ?? null,
            limit,
          },
        ),
      idOf: (check) => String(check.checkedAt.getTime()),
    });
    const secret = this.secrets.get('check_id');
    return page.map((check) => toCheckView(check, checkId(secret, key, check.checkedAt)));
  }

  /** The requested range, limited to the checks that are still kept. */
  private rangeOf(query: ChecksQuery, position: string | null): TimeRange {
    const now = this.clock.now();
    const kept = (dayNumber(now) - this.config.rawRetentionDays) * DAY_MS;
    const ends = [now.getTime() + AHEAD_MS, query.to?.getTime() ?? null, position === null ? null : Number(position)];
    return {
      from: Math.max(query.from?.getTime() ?? kept, kept),
      to: Math.min(...ends.filter((end) => end !== null)),
    };
  }
}
