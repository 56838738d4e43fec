import { Module } from '@nestjs/common';
import { StreamController } from './stream.controller';
import { StreamFeed } from './stream-feed';
import { StreamReader } from './stream-reader';

/** The live stream of state changes and alert events. */
@Module({ controllers: [StreamController], providers: [StreamReader, StreamFeed] })
export class StreamModule {}
