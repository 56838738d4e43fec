import { Global, Module } from '@nestjs/common';
import { WorkLimits } from '../access/work-limits';
import { Compression } from './compression';
import { Health } from '../observability/health';
import { Cursors } from './cursors';
import { IdempotencyKeys } from './idempotency/idempotency-keys';
import { IdempotencyRetention } from './idempotency/idempotency-retention.job';
import { LoadShedder } from './load/load-shedder';
import { EntityTags } from './precondition/entity-tags';

/** Provides the services that all lists and requests need. */
@Global()
@Module({
  providers: [Compression, Cursors, WorkLimits, LoadShedder, IdempotencyKeys, IdempotencyRetention, EntityTags],
  exports: [Compression, Cursors, WorkLimits, LoadShedder, IdempotencyKeys, EntityTags],
})
export class HttpModule {
  constructor(health: Health, load: LoadShedder) {
    health.register('requests', () => load.finding());
  }
}
