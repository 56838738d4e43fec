import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import { Health, type HealthReport } from '../platform/observability/health';
import { Metrics } from '../platform/observability/metrics';

/** Monitoring a probe needs only a few connections. */
const MOST_CONNECTIONS = 100;
const LIMIT_MS = 5000;

/** Serves the probe's health and metrics to supervisors and Prometheus, but nothing about its checks. */
@Injectable()
export class ProbeHttp implements OnModuleDestroy {
  private readonly server: Server;

  constructor(
    private readonly health: Health,
    private readonly metrics: Metrics,
  ) {
    this.server = createServer({ requestTimeout: LIMIT_MS, headersTimeout: LIMIT_MS }, (request, response) => {
      void this.answer(request, response).catch(() => response.destroy());
    });
    this.server.maxConnections = MOST_CONNECTIONS;
  }

  /** Rejects with Node's error if it can't listen. */
  async listen(port: number, host: string): Promise<void> {
    this.server.listen(port, host);
    await once(this.server, 'listening');
  }

  getHttpServer(): Server {
    return this.server;
  }

  onModuleDestroy(): void {
    this.server.close();
    this.server.closeAllConnections();
  }

  private async answer({ method, url = '' }: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = method === 'GET' ? url.split('?')[0] : '';
    if (path === '/health/live') return sendReport(response, this.health.live());
    if (path === '/health/ready') return sendReport(response, await this.health.ready());
    if (path === '/metrics') return send(response, 200, 'text/plain; version=0.0.4', await this.metrics.expose());
    send(response, 404, 'text/plain', 'A probe serves only /health/live, /health/ready and /metrics.\n');
  }
}

const sendReport = (response: ServerResponse, { ok, body }: HealthReport): void =>
  send(response, ok ? 200 : 503, 'application/json', JSON.stringify(body));

function send(response: ServerResponse, status: number, type: string, text: string): void {
  response.writeHead(status, { 'content-type': `${type}; charset=utf-8`, 'content-length': Buffer.byteLength(text) });
  response.end(text);
}
