import { Controller, Req, Res } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { OrgId } from '../../platform/access/caller';
import { costOfScrape } from '../../platform/access/cost';
import { Route } from '../../platform/http/route.decorator';
import { EndpointMetricsService } from './endpoint-metrics.service';

const EXAMPLE = `# HELP uptime_endpoint_up Whether the newest check found the endpoint up (1) or down (0). No value while this is not known or the endpoint is paused.
# TYPE uptime_endpoint_up gauge
uptime_endpoint_up{id="ep_01jd3k6q7be5y9x4v2m8n0r1st",key="checkout",name="Checkout",website="Example shop",type="HTTPS",tags=",production,team:web,"} 1
`;

@ApiTags('History')
@Controller('api/v1/metrics')
export class EndpointMetricsController {
  constructor(private readonly metrics: EndpointMetricsService) {}

  @Route('GET', '', {
    access: 'read',
    cost: costOfScrape,
    operationId: 'getMetrics',
    summary: 'Scrape the metrics of all endpoints',
    description:
      'Returns metrics for Prometheus in its text format 0.0.4, compressed with gzip if the client accepts it. The gauges are `uptime_endpoint_up`, `_degraded`, `_duration_seconds{phase}`, `_certificate_expiry_timestamp_seconds`, `_location_up{location}` and `_location_duration_seconds{location}` (for endpoints with several locations), and `_alert_triggered`. Their labels are `id`, `key`, `name`, `website`, `type`, and `tags` (`,a,b,`: the tags of the endpoint and of its website). Labels without a value are left out. Endpoints that are unknown or paused have only `_alert_triggered` and, unless they are paused, the certificate gauge. `uptime_probe_up{key}` shows for each probe whether it was seen within the last minute.',
    returns: {
      description: 'All gauges.',
      content: { 'text/plain': { schema: { type: 'string' }, example: EXAMPLE } },
    },
  })
  scrape(@OrgId() orgId: string, @Req() request: Request, @Res() response: Response): Promise<void> {
    return this.metrics.respond(orgId, request, response);
  }
}
