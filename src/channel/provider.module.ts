import { Global, Module } from '@nestjs/common';
import { NetModule } from '../platform/net/net.module';
import { ProviderClient } from './provider-client';

/** What channels send with, injectable everywhere: those of extensions are in modules of their own. */
@Global()
@Module({ imports: [NetModule], providers: [ProviderClient], exports: [ProviderClient] })
export class ProviderModule {}
