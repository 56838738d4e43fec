import { Injectable, Module, type OnModuleInit } from '@nestjs/common';
import { EndpointModule } from '../../../src/endpoint/endpoint.module';
import { EndpointSchedule } from '../../../src/endpoint/endpoint-schedule';
import type { Extension } from '../../../src/extension/extension';

/** Turns off scheduled checks before the first tick, so that not even overdue checks from an earlier start run. */
@Injectable()
class NothingIsDue implements OnModuleInit {
  constructor(private readonly schedule: EndpointSchedule) {}

  onModuleInit(): void {
    const { schedule } = this;
    const [claim, claimOfOne] = [schedule.claim.bind(schedule), schedule.claimOfOne.bind(schedule)];
    schedule.claim = (sql, instance, _limit, ahead, of) => claim(sql, instance, 0, ahead, of);
    schedule.claimOfOne = (sql, instance, _limit, ahead, of) => claimOfOne(sql, instance, 0, ahead, of);
  }
}

@Module({ imports: [EndpointModule], providers: [NothingIsDue] })
class ChecksOnDemandModule {}

/** A service that only checks on demand. Everything else works as usual. */
export const checksOnDemand: Extension = { name: 'checks-on-demand', modules: [ChecksOnDemandModule] };
