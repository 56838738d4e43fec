import { Global, Module } from '@nestjs/common';
import { OpenApiParts } from './openapi-parts';

@Global()
@Module({ providers: [OpenApiParts], exports: [OpenApiParts] })
export class OpenApiModule {}
