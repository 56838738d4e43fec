import {
  Check,
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
import type { AlertCondition } from '../alert-rule/alert-rule';
import { Contact } from '../contact/contact.entity';
import { Endpoint } from '../endpoint/endpoint.entity';
import type { SealedConfig } from '../delivery/config/sealed-config';

/** A rule on an endpoint: when its failures trigger, and through which channel to notify. */
@Entity('alert')
@Unique('alert_org_id', ['orgId', 'id'])
@Check('alert_config', '((config IS NULL) = (contact_id IS NOT NULL))')
@Index('alert_of_endpoint', ['endpointId'])
@Index('alert_external_key', ['orgId', 'endpointId', 'externalKey'], {
  unique: true,
  where: 'external_key IS NOT NULL',
})
@Index('alert_open', ['endpointId'], { where: 'triggered' })
@Index('alert_of_contact', ['contactId', 'id'], { where: 'contact_id IS NOT NULL' })
@Index('alert_to_remind', ['remindAt'], { where: 'remind_at IS NOT NULL' })
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

  /** The contact that it notifies through; `null` for one with a config of its own. */
  @Column('uuid', { name: 'contact_id', nullable: true })
  contactId!: string | null;

  @ManyToOne(() => Contact)
  @JoinColumn([
    { name: 'org_id', referencedColumnName: 'orgId', foreignKeyConstraintName: 'alert_contact' },
    { name: 'contact_id', referencedColumnName: 'id', foreignKeyConstraintName: 'alert_contact' },
  ])
  contact?: Relation<Contact> | null;

  /** Channel type, with a contact the contact's. Changes only together with the config. */
  @Column('varchar', { length: 32 })
  type!: string;

  /** Its own config; `null` exactly when it has a contact. */
  @Column('jsonb', { nullable: true })
  config!: SealedConfig | null;

  /**
   * The channel's digest of the account and address in the config (with a contact, the contact's), written with every change
   * of type or config; never shown. `null` while its config cannot be read: `destinationOfAlert` says what counts until then.
   */
  @Column('varchar', { length: 64, nullable: true })
  destination!: string | null;

  /** Which checks are bad: `down`, or `degraded` for those that are down or degraded. */
  @Column('varchar', { length: 16, default: 'down' })
  condition!: AlertCondition;

  @Column('smallint', { name: 'failure_threshold', default: 3 })
  failureThreshold!: number;

  /** Seconds that it must have been bad as well before it triggers. */
  @Column('integer', { name: 'after_seconds', default: 0 })
  afterSeconds!: number;

  /** Seconds between reminders while it is triggered; `null` for none. */
  @Column('integer', { name: 'remind_every_seconds', nullable: true })
  remindEverySeconds!: number | null;

  @Column('smallint', { name: 'success_threshold', default: 2 })
  successThreshold!: number;

  @Column('boolean', { name: 'send_on_resolved', default: true })
  sendOnResolved!: boolean;

  @Column('varchar', { length: 1000, default: '' })
  description!: string;

  @Column('boolean', { default: true })
  enabled!: boolean;

  /** True while an episode is open. Flipped by `EpisodeRecorder` alone; a disabled alert is never triggered. */
  @Column('boolean', { default: false })
  triggered!: boolean;

  /** Counts the episodes; with the alert's id the key that a trigger and its resolve share. */
  @Column('integer', { name: 'incident_no', default: 0 })
  incidentNo!: number;

  /** First failing check of the open episode; `null` while none is open. */
  @Column({ type: 'timestamptz', name: 'incident_started_at', precision: 3, nullable: true })
  incidentStartedAt!: Date | null;

  /** The event that opened the open episode; `null` while none is open. */
  @Column('uuid', { name: 'trigger_event_id', nullable: true })
  triggerEventId!: string | null;

  /** When the next reminder falls due; `null` while none does. */
  @Column({ type: 'timestamptz', name: 'remind_at', precision: 3, nullable: true })
  remindAt!: Date | null;

  /** Reminders of the open episode so far. */
  @Column('integer', { default: 0 })
  reminders!: number;

  /** The client's name for it in configuration files. */
  @Column('varchar', { name: 'external_key', length: 64, nullable: true })
  externalKey!: string | null;

  /** Of the configuration document that declares it; `null` for what none declares. */
  @Column('varchar', { length: 64, nullable: true })
  owner!: string | null;

  @CreateDateColumn({ name: 'created_at', type: 'timestamptz', precision: 3, default: () => 'now()' })
  createdAt!: Date;

  /** Last change by a client; transitions do not count. */
  @UpdateDateColumn({ name: 'updated_at', type: 'timestamptz', precision: 3, default: () => 'now()' })
  updatedAt!: Date;
}

/** What a new alert has where neither its client nor its contact says otherwise: all plain fields. */
export const DEFAULT_RULE = {
  enabled: true,
  condition: 'down',
  failureThreshold: 3,
  successThreshold: 2,
  sendOnResolved: true,
  afterSeconds: 0,
  remindEverySeconds: null,
  description: '',
  externalKey: null,
} as const satisfies Partial<Alert>;

export type RuleSettings = Pick<Alert, keyof typeof DEFAULT_RULE>;
