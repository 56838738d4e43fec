import { Column, CreateDateColumn, Entity, Index, PrimaryColumn, Unique, UpdateDateColumn } from 'typeorm';
import type { SealedConfig } from '../delivery/config/sealed-config';
import type { AlertDefaults } from '../alert-rule/alert-rule';

/** A channel that is configured once, for all alerts that name it. */
@Entity('contact')
@Unique('contact_org_id', ['orgId', 'id'])
@Index('contact_external_key', ['orgId', 'externalKey'], { unique: true, where: 'external_key IS NOT NULL' })
@Index('contact_by_default', ['orgId', 'id'], { where: 'is_default' })
export class Contact {
  @PrimaryColumn('uuid')
  id!: string;

  @Column('uuid', { name: 'org_id' })
  orgId!: string;

  @Column('varchar', { length: 255 })
  name!: string;

  /** Channel type. Changes only together with the config. */
  @Column('varchar', { length: 32 })
  type!: string;

  /** Sealed for the contact: see `ownerOf`. */
  @Column('jsonb')
  config!: SealedConfig;

  /** The channel's digest of account and address, which its alerts repeat; `null` when the channel names none. */
  @Column('varchar', { length: 64, nullable: true })
  destination!: string | null;

  /** New endpoints get an alert through it. */
  @Column('boolean', { name: 'is_default', default: false })
  isDefault!: boolean;

  /** What its alerts begin with where nobody says otherwise; a field that is missing has the alert's own default. */
  @Column('jsonb', { default: {} })
  defaults!: AlertDefaults;

  /** The client's name for it in configuration files. */
  @Column('varchar', { name: 'external_key', length: 64, nullable: true })
  externalKey!: string | null;

  /** Of the configuration document that declares it; `null` for what none declares. */
  @Column('varchar', { length: 64, nullable: true })
  owner!: string | null;

  /** The beginning of the failure that others were told of; `null` before the first. Written by `FailingContactsJob` alone. */
  @Column({ type: 'timestamptz', name: 'failing_told', precision: 3, nullable: true })
  failingTold!: Date | null;

  @CreateDateColumn({ name: 'created_at', type: 'timestamptz', precision: 3, default: () => 'now()' })
  createdAt!: Date;

  @UpdateDateColumn({ name: 'updated_at', type: 'timestamptz', precision: 3, default: () => 'now()' })
  updatedAt!: Date;
}

/** What a new contact has where its client sent nothing: all plain fields. The name has to be sent. */
export const DEFAULT_CONTACT = {
  name: '',
  isDefault: false,
  defaults: {},
  externalKey: null,
} as const satisfies Partial<Contact>;
