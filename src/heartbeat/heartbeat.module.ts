import { Module } from '@nestjs/common';
import { HeartbeatChecker } from './heartbeat.checker';

@Module({ providers: [HeartbeatChecker] })
export class HeartbeatModule {}
