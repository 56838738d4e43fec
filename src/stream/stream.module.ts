import { Module } from '@nestjs/common';
import { RetentionJob } from '../platform/jobs/retention.job';
import { StreamController } from './stream.controller';
import { StreamFeed } from './stream-feed';
import { StreamReader } from './stream-reader';
import { STREAM_RETENTION } from './stream-retention';

/**
 * The live stream of state changes and alert events. No code passes events to it directly. Database triggers write
 * events to `stream_event` in the transaction of the change, and StreamFeed polls that table. `stream_state_change` on
 * `endpoint_state` adds each check that changed its endpoint's status. `stream_alert_events` on `alert_event` adds each
 * new alert event (`platform/database/migrations/initial/triggers.ts`). Other triggers add rows with a `kind`:
 * `stream_maintenance` on `maintenance_occurrence`, `stream_acknowledgement` on `acknowledgement`, and
 * `stream_incidents_*` on `incident`.
 */
@Module({ controllers: [StreamController], providers: [StreamReader, StreamFeed] })
export class StreamModule {
  constructor(retention: RetentionJob) {
    retention.add(STREAM_RETENTION);
  }
}
