import {
  Column,
  CreateDateColumn,
  Entity,
  Index,
  JoinColumn,
  ManyToOne,
  PrimaryColumn,
  type Relation,
  Unique,
  UpdateDateColumn,
} from 'typeorm';
import { Endpoint } from '../endpoint/endpoint.entity';
import type { AlertCondition } from './incident/alert-transition';
import type { SealedConfig } from '../delivery/sealed-config';

/** A rule on an endpoint: when its failures trigger, and through which channel to notify. */
@Entity('alert')
@Unique('alert_org_id', ['orgId', 'id'])
@Index('alert_of_endpoint', ['endpointId'])
@Index('alert_open', ['endpointId'], { where: 'triggered' })
@Index('alert_without_destination', ['id'], { where: 'destination IS NULL' })
export class Alert {
  @PrimaryColumn('uuid')
  id!: string;

  @Column('uuid', { name: 'org_id' })
  orgId!: string;

  @Column('uuid', { name: 'endpoint_id' })
  endpointId!: string;

  @ManyToOne(() => Endpoint, { onDelete: 'CASCADE' })
  @JoinColumn([
    { name: 'org_id', referencedColumnName: 'orgId', foreignKeyConstraintName: 'alert_endpoint' },
    { name: 'endpoint_id', referencedColumnName: 'id', foreignKeyConstraintName: 'alert_endpoint' },
  ])
  endpoint?: Relation<Endpoint>;

  /** Channel type. Changes only together with the config. */
  @Column('varchar', { length: 32 })
  type!: string;

  @Column('jsonb')
  config!: SealedConfig;

  /**
   * The channel's digest of the account and address in the config, written with every change of type or config; never
   * shown. `null` while it is not known: `DestinationBackfill` fills it in, `destinationOfAlert` says what counts until then.
   */
  @Column('varchar', { length: 64, nullable: true })
  destination!: string | null;

  /** Which checks are bad: `down`, or `degraded` for those that are down or degraded. */
  @Column('varchar', { length: 16, default: 'down' })
  condition!: AlertCondition;

  @Column('smallint', { name: 'failure_threshold', default: 3 })
  failureThreshold!: number;

  @Column('smallint', { name: 'success_threshold', default: 2 })
  successThreshold!: number;

  @Column('boolean', { name: 'send_on_resolved', default: true })
  sendOnResolved!: boolean;

  @Column('varchar', { length: 1000, default: '' })
  description!: string;

  @Column('boolean', { default: true })
  enabled!: boolean;

  /** True while an incident is open. Flipped by `IncidentRecorder` alone; a disabled alert is never triggered. */
  @Column('boolean', { default: false })
  triggered!: boolean;

  /** Counts the incidents; with the alert's id the key that a trigger and its resolve share. */
  @Column('integer', { name: 'incident_no', default: 0 })
  incidentNo!: number;

  /** First failing check of the open incident; `null` while none is open. */
  @Column({ type: 'timestamptz', name: 'incident_started_at', precision: 3, nullable: true })
  incidentStartedAt!: Date | null;

  /** The event that opened the open incident; `null` while none is open. */
  @Column('uuid', { name: 'trigger_event_id', nullable: true })
  triggerEventId!: string | null;

  @CreateDateColumn({ name: 'created_at', type: 'timestamptz', precision: 3, default: () => 'now()' })
  createdAt!: Date;

  /** Last change by a client; transitions do not count. */
  @UpdateDateColumn({ name: 'updated_at', type: 'timestamptz', precision: 3, default: () => 'now()' })
  updatedAt!: Date;
}
