import { Global, Module } from '@nestjs/common';
import { WorkLimits } from '../access/work-limits';
import { Cursors } from './cursors';
import { LoadShedder } from './load/load-shedder';

/** What every list and every request needs. */
@Global()
@Module({ providers: [Cursors, WorkLimits, LoadShedder], exports: [Cursors, WorkLimits, LoadShedder] })
export class HttpModule {}
