import { Injectable } from '@nestjs/common';
import { LOCAL } from '../../engine/finished-check';
import { ServerSecrets } from '../../platform/secrets/server-secrets';
import { Config } from '../../platform/config/config';
import { Cursors, MEDIUM_ROWS } from '../../platform/http/cursors';
import type { Page } from '../../platform/http/page';
import { Clock } from '../../platform/time/clock';
import { checkId } from '../check-id';
import { type CheckPosition, CheckReader, type CheckSelection } from './check-reader';
import { HistoryLocations } from './history-location';
import { type ChecksQuery, type CheckView, toCheckView } from './check.dto';
import { DAY_MS, dayNumber } from '../../platform/time/time-units';
import type { TimeRange } from '../time-range';

const DEFAULT_LIMIT = 100;

/** How far ahead the clocks of the instances that recorded the checks may be. */
const AHEAD_MS = DAY_MS;

/** Lists the recorded checks of one endpoint, newest first. */
@Injectable()
export class CheckListService {
  constructor(
    private readonly locations: HistoryLocations,
    private readonly reader: CheckReader,
    private readonly cursors: Cursors,
    private readonly secrets: ServerSecrets,
    private readonly clock: Clock,
    private readonly config: Config,
  ) {}

  async list(orgId: string, endpointId: string, query: ChecksQuery): Promise<Page<CheckView>> {
    const { key, location } = await this.locations.require(orgId, endpointId, query.location);
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
            location: location && location.number,
            limit,
          },
        ),
      idOf: ({ checkedAt, location: number }) => textOf({ at: checkedAt.getTime(), location: number }),
    });
    const secret = this.secrets.get('check_id');
    const names = await this.locations.names(
      orgId,
      page.items.map(({ location: number }) => number),
    );
    return page.map((check) =>
      toCheckView(check, checkId(secret, key, check.checkedAt, check.location), names.get(check.location) ?? null),
    );
  }

  private rangeOf(query: ChecksQuery, position: string | null): TimeRange & Pick<CheckSelection, 'after'> {
    const now = this.clock.now();
    const kept = (dayNumber(now) - this.config.rawRetentionDays) * DAY_MS;
    const after = position === null ? null : positionOf(position);
    const ends = [now.getTime() + AHEAD_MS, query.to?.getTime() ?? null, after && after.at + 1];
    return {
      from: Math.max(query.from?.getTime() ?? kept, kept),
      to: Math.min(...ends.filter((end) => end !== null)),
      after,
    };
  }
}

/** Encodes a cursor position: a time, and the location unless the service itself ran the check. */
const textOf = ({ at, location }: CheckPosition): string => (location === LOCAL ? `${at}` : `${at}.${location}`);

function positionOf(text: string): CheckPosition {
  const [at, location] = text.split('.');
  return { at: Number(at), location: Number(location ?? LOCAL) };
}
