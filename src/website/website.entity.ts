import { Column, CreateDateColumn, Entity, Index, PrimaryColumn, Unique, UpdateDateColumn } from 'typeorm';
import { NEW_PING_KEY } from '../platform/database/migrations/1795824000000-heartbeats';

/** A website that an organization monitors. Its endpoints are what the service checks. */
@Entity('website')
@Unique('website_org_id', ['orgId', 'id'])
@Index('website_external_key', ['orgId', 'externalKey'], {
  unique: true,
  where: 'external_key IS NOT NULL AND deleted_at IS NULL',
})
@Index('website_being_deleted', ['deletedAt'], { where: 'deleted_at IS NOT NULL' })
@Index('website_ping_key', ['pingKey'], { unique: true })
@Index('website_leaving', ['orgId'], { where: 'deleted_at IS NOT NULL' })
export class Website {
  @PrimaryColumn('uuid')
  id!: string;

  @Column('uuid', { name: 'org_id' })
  orgId!: string;

  @Column('varchar', { length: 255 })
  name!: string;

  @Column('varchar', { length: 2048 })
  url!: string;

  /**
   * If false, every endpoint is paused. Each endpoint keeps its own `enabled` value for when the website is enabled
   * again.
   */
  @Column('boolean', { default: true })
  enabled!: boolean;

  /** The tags are lowercase, sorted, and unique. They also apply to each endpoint. */
  @Column('text', { array: true, default: () => `'{}'` })
  tags!: string[];

  /** The client's name for the website in configuration files. */
  @Column('varchar', { name: 'external_key', length: 64, nullable: true })
  externalKey!: string | null;

  /** The owner of the configuration document that declares the website. `null` if none does. */
  @Column('varchar', { length: 64, nullable: true })
  owner!: string | null;

  @CreateDateColumn({ name: 'created_at', type: 'timestamptz', precision: 3, default: () => 'now()' })
  createdAt!: Date;

  @UpdateDateColumn({ name: 'updated_at', type: 'timestamptz', precision: 3, default: () => 'now()' })
  updatedAt!: Date;

  /** The key that the website's jobs use in ping URLs, together with their own keys. The database generates it. */
  @Column('varchar', { name: 'ping_key', length: 22, default: () => NEW_PING_KEY })
  pingKey!: string;

  /** Set while the website is being removed in steps. Clients no longer see it. */
  @Column({ type: 'timestamptz', name: 'deleted_at', precision: 3, nullable: true })
  deletedAt!: Date | null;
}
