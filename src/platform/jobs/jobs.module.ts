import { Global, Module } from '@nestjs/common';
import { BackgroundJobs } from './background-job';

/** The periodic jobs of every module. */
@Global()
@Module({ providers: [BackgroundJobs], exports: [BackgroundJobs] })
export class JobsModule {}
