import { Column, Entity, Index, PrimaryColumn, Unique } from 'typeorm';
import type { NotifiedLocation } from '../../channel/notification';
import type { AlertCondition } from '../../alert-rule/alert-rule';
import type { EventReason } from '../episode/episode';

/** One trigger or resolve of an alert. Append-only, with snapshots of the names. Written by `EpisodeRecorder`. */
@Entity('alert_event')
@Unique('alert_event_once', ['alertId', 'episodeNo', 'type'])
@Index('alert_event_feed', ['orgId', 'id'])
@Index('alert_event_of_endpoint', ['endpointId', 'id'])
@Index('alert_event_of_website', ['websiteId', 'id'])
@Index('alert_event_of_alert', ['alertId', 'id'])
@Index('alert_event_of_incident', ['incidentId', 'id'], { where: 'incident_id IS NOT NULL' })
export class AlertEvent {
  @PrimaryColumn('uuid')
  id!: string;

  @Column('uuid', { name: 'org_id' })
  orgId!: string;

  @Column('varchar', { length: 9 })
  type!: 'triggered' | 'resolved';

  @Column('uuid', { name: 'alert_id' })
  alertId!: string;

  @Column('varchar', { name: 'alert_type', length: 32 })
  alertType!: string;

  /** The alert's condition at that time. */
  @Column('varchar', { length: 16, default: 'down' })
  condition!: AlertCondition;

  @Column('integer', { name: 'incident_no' })
  episodeNo!: number;

  @Column('uuid', { name: 'endpoint_id' })
  endpointId!: string;

  @Column('varchar', { name: 'endpoint_name', length: 255 })
  endpointName!: string;

  @Column('uuid', { name: 'website_id' })
  websiteId!: string;

  @Column('varchar', { name: 'website_name', length: 255 })
  websiteName!: string;

  @Column('varchar', { length: 9 })
  reason!: EventReason;

  @Column('varchar', { length: 1000 })
  message!: string;

  @Column('varchar', { name: 'error_code', length: 40, nullable: true })
  errorCode!: string | null;

  @Column('varchar', { name: 'error_message', length: 300, nullable: true })
  errorMessage!: string | null;

  @Column('integer', { name: 'failure_count' })
  failureCount!: number;

  @Column('integer', { name: 'success_count' })
  successCount!: number;

  @Column({ type: 'timestamptz', name: 'started_at', precision: 3, nullable: true })
  startedAt!: Date | null;

  @Column('integer', { name: 'duration_seconds', nullable: true })
  durationSeconds!: number | null;

  @Column({ type: 'timestamptz', name: 'created_at', precision: 3 })
  createdAt!: Date;

  @Column('uuid', { name: 'incident_id', nullable: true })
  incidentId!: string | null;

  /** Each location's result, if there are several locations. */
  @Column('jsonb', { nullable: true })
  locations!: NotifiedLocation[] | null;
}
