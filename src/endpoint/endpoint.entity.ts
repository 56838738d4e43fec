import {
  Column,
  CreateDateColumn,
  Entity,
  Generated,
  Index,
  JoinColumn,
  ManyToOne,
  PrimaryColumn,
  type Relation,
  Unique,
  UpdateDateColumn,
} from 'typeorm';
import type { Assertion } from '../checker/assertion/assertion';
import { DEFAULT_WARN_DAYS } from '../checker/certificate-warning';
import type { TlsSettings } from '../checker/tls-settings';
import { Website } from '../website/website.entity';
import type { HeartbeatSchedule } from './heartbeat/heartbeat-schedule';
import { DEFAULT_LOCATIONS } from './locations/locations';
import type { StoredSettings } from './settings/stored-settings';

/** A stored header. The value of a sensitive one is encrypted. */
export interface StoredHeader {
  key: string;
  value: string;
  sealed?: true;
}

/** A check that belongs to a website and runs every `intervalSeconds`. */
@Entity('endpoint')
@Unique('endpoint_org_id', ['orgId', 'id'])
@Unique('endpoint_key', ['key'])
@Index('endpoint_of_website', ['websiteId', 'id'])
@Index('endpoint_external_key', ['orgId', 'websiteId', 'externalKey'], {
  unique: true,
  where: 'external_key IS NOT NULL',
})
@Index('endpoint_watching_probe', ['url'], { where: `type = 'PROBE'` })
@Index('endpoint_by_interval', ['websiteId', 'intervalSeconds', 'id'], { where: 'enabled' })
export class Endpoint {
  @PrimaryColumn('uuid')
  id!: string;

  /**
   * The internal number that history is stored under. It never leaves the service. It is a bigint, which the driver
   * returns as a string.
   */
  @Column('bigint')
  @Generated('increment')
  key!: string;

  @Column('uuid', { name: 'org_id' })
  orgId!: string;

  @Column('uuid', { name: 'website_id' })
  websiteId!: string;

  @ManyToOne(() => Website, { onDelete: 'CASCADE' })
  @JoinColumn([
    { name: 'org_id', referencedColumnName: 'orgId', foreignKeyConstraintName: 'endpoint_website' },
    { name: 'website_id', referencedColumnName: 'id', foreignKeyConstraintName: 'endpoint_website' },
  ])
  website?: Relation<Website>;

  @Column('varchar', { length: 255 })
  name!: string;

  @Column('varchar', { length: 2048 })
  url!: string;

  @Column('varchar', { length: 32 })
  type!: string;

  @Column('varchar', { length: 8, default: 'GET' })
  method!: string;

  @Column('integer', { name: 'interval_seconds', default: 60 })
  intervalSeconds!: number;

  @Column('integer', { name: 'timeout_seconds', default: 10 })
  timeoutSeconds!: number;

  @Column('boolean', { default: true })
  enabled!: boolean;

  @Column('jsonb', { default: () => `'[]'` })
  headers!: StoredHeader[];

  @Column('text', { nullable: true })
  body!: string | null;

  @Column('boolean', { name: 'follow_redirects', default: true })
  followRedirects!: boolean;

  @Column('jsonb', { default: () => `'[]'` })
  assertions!: Assertion[];

  /** `null` means that all settings are defaults. */
  @Column('jsonb', { nullable: true })
  tls!: TlsSettings | null;

  /** The settings of the type with their secrets encrypted, or `null` if all of them are defaults. */
  @Column('jsonb', { nullable: true })
  settings!: StoredSettings | null;

  /** The schedule on which a heartbeat's pings are expected, or `null` for all other types. */
  @Column('jsonb', { nullable: true })
  heartbeat!: HeartbeatSchedule | null;

  /**
   * The number of days before certificate expiry from which the check is degraded and the certificate is reported.
   * `null` turns this off.
   */
  @Column('smallint', { name: 'certificate_warn_days', nullable: true })
  certificateWarnDays!: number | null;

  /** How many locations must see the endpoint as down: a keyword, or a number stored as a string. */
  @Column('varchar', { length: 8, default: 'majority' })
  quorum!: string;

  /** The number of locations. `endpoint_location` lists which ones. */
  @Column('smallint', { name: 'location_count', default: 1 })
  locationCount!: number;

  /** The endpoint's own tags, excluding the tags of its website. They are lowercase, sorted, and unique. */
  @Column('text', { array: true, default: () => `'{}'` })
  tags!: string[];

  /** The client's name for the endpoint in configuration files. */
  @Column('varchar', { name: 'external_key', length: 64, nullable: true })
  externalKey!: string | null;

  /** The owner of the configuration document that declares the endpoint, or `null` if none does. */
  @Column('varchar', { length: 64, nullable: true })
  owner!: string | null;

  /** Incremented whenever the definition of the check changes. Results of older revisions are not recorded. */
  @Column('integer', { default: 1 })
  revision!: number;

  @CreateDateColumn({ name: 'created_at', type: 'timestamptz', precision: 3, default: () => 'now()' })
  createdAt!: Date;

  @UpdateDateColumn({ name: 'updated_at', type: 'timestamptz', precision: 3, default: () => 'now()' })
  updatedAt!: Date;
}

/** The locations where an endpoint is checked, in order. For a stored endpoint they come from `endpoint_location`. */
export interface WithLocations {
  locations: readonly string[];
}

/** Returns the fields that a client may set: everything except the identity, the website, and the bookkeeping. */
export function settingsOf({
  id: _id,
  key: _key,
  orgId: _orgId,
  websiteId: _websiteId,
  website: _website,
  owner: _owner,
  locationCount: _locationCount,
  revision: _revision,
  createdAt: _createdAt,
  updatedAt: _updatedAt,
  ...settings
}: Endpoint & WithLocations) {
  return settings;
}

export type EndpointSettings = ReturnType<typeof settingsOf>;

/** Returns the data that an endpoint's ETag is computed from. `dependsOn` must contain sorted UUIDs. */
export function tagSource(
  endpoint: EndpointSettings & Pick<Endpoint, 'id' | 'websiteId'>,
  dependsOn: readonly string[],
) {
  const settings = Object.keys(DEFAULT_SETTINGS).map(
    (name) => [name, endpoint[name as keyof EndpointSettings]] as const,
  );
  return { id: endpoint.id, websiteId: endpoint.websiteId, dependsOn, settings: Object.fromEntries(settings) };
}

/** The defaults for settings that the client omitted from a new endpoint. Name, URL, and type are required. */
export const DEFAULT_SETTINGS: EndpointSettings = {
  name: '',
  url: '',
  type: '',
  method: 'GET',
  intervalSeconds: 60,
  timeoutSeconds: 10,
  enabled: true,
  headers: [],
  body: null,
  followRedirects: true,
  assertions: [],
  tls: null,
  settings: null,
  heartbeat: null,
  certificateWarnDays: DEFAULT_WARN_DAYS,
  quorum: 'majority',
  locations: DEFAULT_LOCATIONS,
  tags: [],
  externalKey: null,
};
