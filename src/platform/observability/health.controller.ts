import { Controller, Get, Header, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { Response } from 'express';
import { Access, CountedBy } from '../access/caller';
import { Health, type HealthReport } from './health';
import { Metrics } from './metrics';

/** Serves supervisors and Prometheus. These responses never contain an organization's data. */
@ApiExcludeController()
@Controller()
export class HealthController {
  constructor(
    private readonly health: Health,
    private readonly metrics: Metrics,
  ) {}

  @Get('health/live')
  @Access('public')
  @CountedBy('no limit: health checks always get a response')
  live(@Res() response: Response): void {
    send(response, this.health.live());
  }

  @Get('health/ready')
  @Access('public')
  @CountedBy('no limit: health checks always get a response')
  async ready(@Res() response: Response): Promise<void> {
    send(response, await this.health.ready());
  }

  @Get('metrics')
  @Access('public')
  @CountedBy('the load shedder, when the service is late')
  @Header('Content-Type', 'text/plain; version=0.0.4; charset=utf-8')
  expose(): Promise<string> {
    return this.metrics.expose();
  }
}

const send = (response: Response, { ok, body }: HealthReport): void => void response.status(ok ? 200 : 503).json(body);
