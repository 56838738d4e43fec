import { Global, Module } from '@nestjs/common';
import { TransactionEvents } from './transaction-events';

@Global()
@Module({ providers: [TransactionEvents], exports: [TransactionEvents] })
export class EventsModule {}
