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

/** A rule for an endpoint: when failures trigger it, and which channel sends the notifications. */
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

  /** The contact that the alert uses, or `null` if it has its own config. */
  @Column('uuid', { name: 'contact_id', nullable: true })
  contactId!: string | null;

  @ManyToOne(() => Contact)
  @JoinColumn([
    { name: 'org_id', referencedColumnName: 'orgId', foreignKeyConstraintName: 'alert_contact' },
    { name: 'contact_id', referencedColumnName: 'id', foreignKeyConstraintName: 'alert_contact' },
  ])
  contact?: Relation<Contact> | null;

  /** The channel type. If there is a contact, this is the contact's type. Only changes together with the config. */
  @Column('varchar', { length: 32 })
  type!: string;

  /** The alert's own config. It is `null` if and only if the alert has a contact. */
  @Column('jsonb', { nullable: true })
  config!: SealedConfig | null;

  /**
   * The channel's digest of the account and address in the config (or in the contact's config). Written whenever type
   * or config changes, and never shown. It is `null` if the config can't be read. See `destinationOfAlert` for the
   * value that is used in that case.
   */
  @Column('varchar', { length: 64, nullable: true })
  destination!: string | null;

  /** The checks that count as bad: `down`, or `degraded` for checks that are down or degraded. */
  @Column('varchar', { length: 16, default: 'down' })
  condition!: AlertCondition;

  @Column('smallint', { name: 'failure_threshold', default: 3 })
  failureThreshold!: number;

  /** How long the endpoint must have been bad before the alert triggers, in seconds, in addition to the threshold. */
  @Column('integer', { name: 'after_seconds', default: 0 })
  afterSeconds!: number;

  /** Seconds between reminders while the alert is triggered, or `null` for no reminders. */
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

  /** True while an episode is open. Only `EpisodeRecorder` changes it. A disabled alert is never triggered. */
  @Column('boolean', { default: false })
  triggered!: boolean;

  /**
   * The number of episodes so far. Together with the alert's ID, it is the key that a trigger and its resolve share. The
   * column keeps its old name, because processes of the previous version still run during an upgrade.
   */
  @Column('integer', { name: 'incident_no', default: 0 })
  episodeNo!: number;

  /** When the first failed check of the open episode ran, or `null` while no episode is open. */
  @Column({ type: 'timestamptz', name: 'incident_started_at', precision: 3, nullable: true })
  episodeStartedAt!: Date | null;

  /** The event that opened the open episode, or `null` while no episode is open. */
  @Column('uuid', { name: 'trigger_event_id', nullable: true })
  triggerEventId!: string | null;

  /** When the next reminder is due, or `null` if there is none. */
  @Column({ type: 'timestamptz', name: 'remind_at', precision: 3, nullable: true })
  remindAt!: Date | null;

  /** The number of reminders in the open episode so far. */
  @Column('integer', { default: 0 })
  reminders!: number;

  /** The client's name for the alert in configuration files. */
  @Column('varchar', { name: 'external_key', length: 64, nullable: true })
  externalKey!: string | null;

  /** The owner of the configuration document that declares this alert, or `null` if no document does. */
  @Column('varchar', { length: 64, nullable: true })
  owner!: string | null;

  @CreateDateColumn({ name: 'created_at', type: 'timestamptz', precision: 3, default: () => 'now()' })
  createdAt!: Date;

  /** The last change by a client. Triggers and resolves don't count. */
  @UpdateDateColumn({ name: 'updated_at', type: 'timestamptz', precision: 3, default: () => 'now()' })
  updatedAt!: Date;
}

/** The defaults for all plain fields, for a new alert if neither its client nor its contact sets them. */
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
