import { Global, Module } from '@nestjs/common';
import { BackgroundJobs } from './background-job';
import { EmbeddedMaintenanceJob } from './embedded-maintenance.job';
import { MemoryTrimJob } from './memory-trim.job';
import { RetentionJob } from './retention.job';

/** Provides periodic jobs to all modules, and runs the platform's own jobs. */
@Global()
@Module({
  providers: [BackgroundJobs, RetentionJob, EmbeddedMaintenanceJob, MemoryTrimJob],
  exports: [BackgroundJobs, RetentionJob],
})
export class JobsModule {}
