import { Module } from '@nestjs/common';
import { ProbeDirectory } from './probe-directory';

@Module({ providers: [ProbeDirectory], exports: [ProbeDirectory] })
export class ProbeModule {}
