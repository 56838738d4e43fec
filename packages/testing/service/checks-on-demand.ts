import { Injectable, Module, type OnModuleInit } from '@nestjs/common';
import { EndpointModule } from '../../../src/endpoint/endpoint.module';
import { EndpointSchedule } from '../../../src/endpoint/endpoint-schedule';
import type { Extension } from '../../../src/extension/extension';

/** Nothing falls due: before the first tick, so that not even what an earlier start has left is checked. */
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

/** A service that checks only what somebody asks for; everything else of it works as always. */
export const checksOnDemand: Extension = { name: 'checks-on-demand', modules: [ChecksOnDemandModule] };
