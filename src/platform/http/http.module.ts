import { Global, Module } from '@nestjs/common';
import { Cursors } from './cursors';
import { LoadShedder } from './load/load-shedder';

/** What every list and every request needs. */
@Global()
@Module({ providers: [Cursors, LoadShedder], exports: [Cursors, LoadShedder] })
export class HttpModule {}
