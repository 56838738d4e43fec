import { Module } from '@nestjs/common';
import { CheckerModule } from '../checker/checker.module';
import { EndpointRules } from '../endpoint/endpoint-rules';
import { NetModule } from '../platform/net/net.module';
import { TrialController } from './trial.controller';
import { TrialService } from './trial.service';

/** Checks of targets that are not endpoints yet. */
@Module({
  imports: [CheckerModule, NetModule],
  controllers: [TrialController],
  providers: [TrialService, EndpointRules],
})
export class TrialModule {}
