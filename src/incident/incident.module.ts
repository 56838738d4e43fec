import { Module } from '@nestjs/common';
import { EndpointModule } from '../endpoint/endpoint.module';

/** Endpoints that went down together, and what people said about it. A label: no alert, event or delivery depends on it. */
@Module({ imports: [EndpointModule] })
export class IncidentModule {}
