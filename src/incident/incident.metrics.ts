import { Injectable } from '@nestjs/common';
import { Metrics } from '../platform/observability/metrics';
import { INCIDENT_CAUSES, type IncidentCause } from './incident-row';
import type { PlaceRule } from './place-of';

/** Incident metrics. Labels never contain an organization. */
@Injectable()
export class IncidentMetrics {
  private readonly incidents;
  private readonly members;
  private readonly updates;
  private readonly openNow;

  constructor(metrics: Metrics) {
    this.incidents = metrics.labelledCounter({
      name: 'uptime_incidents_total',
      help: 'Incidents that started, by what their endpoints had in common at the start. Most start with a single endpoint.',
      values: { cause: INCIDENT_CAUSES },
    });
    this.members = metrics.labelledCounter({
      name: 'uptime_incident_members_total',
      help: 'Endpoints that joined an incident, by cause. "again": the endpoint had been in the incident earlier.',
      values: { cause: ['again', 'dependency', 'address', 'website', 'single'] },
    });
    this.updates = metrics.labelledCounter({
      name: 'uptime_incident_updates_total',
      help: 'Incident updates that users and API keys posted.',
      values: { public: ['true', 'false'] },
    });
    this.openNow = metrics.gauge({
      name: 'uptime_incidents_open',
      help: 'Open incidents of all organizations at the last count.',
    });
  }

  began(cause: IncidentCause): void {
    this.incidents.inc({ cause });
  }

  joined(rule: Exclude<PlaceRule, 'member'>): void {
    this.members.inc({ cause: rule === 'new' ? 'single' : rule });
  }

  said(isPublic: boolean): void {
    this.updates.inc({ public: isPublic ? 'true' : 'false' });
  }

  open(count: number): void {
    this.openNow.set(count);
  }
}
