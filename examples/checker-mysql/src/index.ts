import { Module } from '@nestjs/common';
import { defineExtension } from 'uptime-monitor';
import { MysqlChecker } from './mysql.checker';

@Module({ providers: [MysqlChecker] })
class MysqlModule {}

export default defineExtension({ name: 'checker-mysql', modules: [MysqlModule] });
