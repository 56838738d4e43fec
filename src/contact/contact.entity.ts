import { Column, CreateDateColumn, Entity, Index, PrimaryColumn, Unique, UpdateDateColumn } from 'typeorm';
import type { SealedConfig } from '../delivery/config/sealed-config';
import type { AlertDefaults } from '../alert-rule/alert-rule';

/** A channel that is configured once and used by many alerts. */
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

  /** The channel type. It changes only together with the config. */
  @Column('varchar', { length: 32 })
  type!: string;

  /** The config, encrypted for the contact. See `ownerOf`. */
  @Column('jsonb')
  config!: SealedConfig;

  /** The channel's hash of the account and address. The contact's alerts copy it. `null` if the channel has none. */
  @Column('varchar', { length: 64, nullable: true })
  destination!: string | null;

  /** True if new endpoints get an alert that uses this contact. */
  @Column('boolean', { name: 'is_default', default: false })
  isDefault!: boolean;

  /** The initial values for the contact's alerts. For a missing field, the alert's own default applies. */
  @Column('jsonb', { default: {} })
  defaults!: AlertDefaults;

  /** The client's name for the contact in configuration files. */
  @Column('varchar', { name: 'external_key', length: 64, nullable: true })
  externalKey!: string | null;

  /** The owner of the configuration document that declares the contact. `null` if none does. */
  @Column('varchar', { length: 64, nullable: true })
  owner!: string | null;

  /**
   * The start of the failure that others were last notified about. `null` before the first notification. Only
   * `FailingContactsJob` writes it.
   */
  @Column({ type: 'timestamptz', name: 'failing_told', precision: 3, nullable: true })
  failingTold!: Date | null;

  @CreateDateColumn({ name: 'created_at', type: 'timestamptz', precision: 3, default: () => 'now()' })
  createdAt!: Date;

  @UpdateDateColumn({ name: 'updated_at', type: 'timestamptz', precision: 3, default: () => 'now()' })
  updatedAt!: Date;
}

/** The defaults for all plain fields of a new contact. The name is required. */
export const DEFAULT_CONTACT = {
  name: '',
  isDefault: false,
  defaults: {},
  externalKey: null,
} as const satisfies Partial<Contact>;
