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

/** A header as stored: the value of a sensitive one is sealed. */
export interface StoredHeader {
  key: string;
  value: string;
  sealed?: true;
}

/** One check of a website that runs every `intervalSeconds`. */
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

  /** Internal number that history is stored under; never leaves the service. bigint, hence text. */
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

  /** `null`: the defaults. */
  @Column('jsonb', { nullable: true })
  tls!: TlsSettings | null;

  /** Of a heartbeat: when its pings are expected; `null` for all other types. */
  @Column('jsonb', { nullable: true })
  heartbeat!: HeartbeatSchedule | null;

  /** A certificate that ends in so many days or fewer makes it degraded, and is told; `null`: it does not. */
  @Column('smallint', { name: 'certificate_warn_days', nullable: true })
  certificateWarnDays!: number | null;

  /** How many of its locations must see it down: a name, or a number as text. */
  @Column('varchar', { length: 8, default: 'majority' })
  quorum!: string;

  /** How many it has; which ones stand in `endpoint_location`. */
  @Column('smallint', { name: 'location_count', default: 1 })
  locationCount!: number;

  /** Its own, without its website's: lower case, in order, none twice. */
  @Column('text', { array: true, default: () => `'{}'` })
  tags!: string[];

  /** The client's name for it in configuration files. */
  @Column('varchar', { name: 'external_key', length: 64, nullable: true })
  externalKey!: string | null;

  /** Of the configuration document that declares it; `null` for what none declares. */
  @Column('varchar', { length: 64, nullable: true })
  owner!: string | null;

  /** Grows with every change of what is checked; a result of an older revision is not recorded. */
  @Column('integer', { default: 1 })
  revision!: number;

  @CreateDateColumn({ name: 'created_at', type: 'timestamptz', precision: 3, default: () => 'now()' })
  createdAt!: Date;

  @UpdateDateColumn({ name: 'updated_at', type: 'timestamptz', precision: 3, default: () => 'now()' })
  updatedAt!: Date;
}

/** Where an endpoint is checked, in order: of a stored one they stand in `endpoint_location`. */
export interface WithLocations {
  locations: readonly string[];
}

/** What a client may set: all but the endpoint's identity, its website and the bookkeeping. */
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

/** The stored settings of an endpoint. */
export type EndpointSettings = ReturnType<typeof settingsOf>;

/** What the tag of an endpoint is made of. `dependsOn`: uuids in order. */
export function tagSource(
  endpoint: EndpointSettings & Pick<Endpoint, 'id' | 'websiteId'>,
  dependsOn: readonly string[],
) {
  const settings = Object.keys(DEFAULT_SETTINGS).map(
    (name) => [name, endpoint[name as keyof EndpointSettings]] as const,
  );
  return { id: endpoint.id, websiteId: endpoint.websiteId, dependsOn, settings: Object.fromEntries(settings) };
}

/** What a new endpoint has where its client sent nothing. Name, URL and type have to be sent. */
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
  heartbeat: null,
  certificateWarnDays: DEFAULT_WARN_DAYS,
  quorum: 'majority',
  locations: DEFAULT_LOCATIONS,
  tags: [],
  externalKey: null,
};
