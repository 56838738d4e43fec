import { Injectable, Logger } from '@nestjs/common';
import type { Notification } from '../../channel/notification';
import { ChannelRegistry } from '../../channel/channel.registry';
import { ChannelConfigs } from '../../channel/config/channel-configs';
import { WorkerDatabase } from '../../platform/database/database';
import { EgressPolicy, type EgressRule } from '../../platform/net/egress/egress-policy';
import { formatId } from '../../platform/ids/id';
import { readUrl } from '../../platform/text/read-url';
import { cut } from '../../platform/text/text-limits';
import { type AttemptPart, isHuman } from '../delivery';
import { digestNotification } from '../plan/digest';
import { ownerOf, type SealedConfig, SealedConfigs } from '../config/sealed-config';
import type { Attempt } from './attempt';

/** The content of an attempt, and how to send it. */
export interface AttemptContent {
  notification: Notification;
  config: object;
  egress: EgressRule;
  /**
   * Concurrency is limited per host and organization. The host comes from the config. Otherwise, it is `channel:` and
   * the vendor.
   */
  host: string;
}

/** The reason why an attempt has nothing to send, or can't send it. */
export type NothingToSend =
  /** The lease is lost, or the rows no longer exist. */
  | { cannot: 'lost' }
  /** The alert was deleted and left no config, so there is no channel to use. */
  | { cannot: 'orphaned' }
  /** Only a client or an operator can fix the problem. `reason` is public. */
  | { cannot: 'unsendable'; reason: string };

/** A notification as it was stored. If no separate delivery reports the end of its episode, this contains the end. */
export interface StoredNotification {
  notification: Notification;
  endedAt: Date | null;
  endedAfterSeconds: number | null;
}

interface Row extends StoredNotification {
  id: string;
  /** The alert, or `null` for a notification without an alert. In that case, there is a contact. */
  alertId: string | null;
  /** The contact that owns the config, or `null` for the alert's own config. */
  contactId: string | null;
  /**
   * The contact's name, or `null` if there is no contact or this is a snapshot from a contact that has since been
   * deleted.
   */
  contactName: string | null;
  /** The contact named in the first attempt. */
  through: { id: string; name: string } | null;
  /** The incident that its event belonged to at the first attempt. */
  incidentId: string | null;
  incidentNumber: number | null;
  /** The number of the endpoint's outages in that incident until then, including this one. */
  outage: number | null;
  orgId: string;
  timezone: string | null;
  isDefaultOrg: boolean;
  config: SealedConfig | null;
}

/** Reads an attempt's content right before it is sent. */
@Injectable()
export class AttemptReader {
  private readonly logger = new Logger(AttemptReader.name);

  constructor(
    private readonly database: WorkerDatabase,
    private readonly channels: ChannelRegistry,
    private readonly configs: ChannelConfigs,
    private readonly sealed: SealedConfigs,
    private readonly egress: EgressPolicy,
  ) {}

  /**
   * Reads the content. The config is the delivery's snapshot, or the current config of the alert or contact if the type
   * is the same. Cost: one statement, with lookups by primary key.
   */
  async read(attempt: Attempt): Promise<AttemptContent | NothingToSend> {
    const rows = await this.readRows(attempt);
    const repeat = attempt.repeat && isHuman(attempt.audience);
    const notification = attemptNotification({ ...attempt, repeat }, new Map(rows.map((row) => [row.id, row])));
    const primaries = new Set(attempt.parts.map(({ primary }) => primary));
    const source = rows.find(({ id, config }) => primaries.has(id) && config !== null) ?? rows[0];
    if (!notification || !source) return { cannot: 'lost' };
    if (source.config === null) return { cannot: 'orphaned' };
    return this.open(attempt.channelType, notification, { ...source, config: source.config });
  }

  private readRows(attempt: Attempt): Promise<Row[]> {
    const ids = attempt.parts.flatMap(({ primary, merged }) => (merged === null ? [primary] : [primary, merged]));
    return this.database.query<Row>(
      `SELECT n.id, n.notice - '{through,incident,timezone}'::text[] AS notification, NULLIF(n.notice -> 'through', 'null') AS through,
         n.alert_id AS "alertId", n.org_id AS "orgId", COALESCE((n.notice #>> '{incident,id}')::uuid, n.incident_id) AS "incidentId",
         (n.notice #>> '{incident,number}')::int AS "incidentNumber", (n.notice #>> '{incident,outage}')::int AS outage,
         COALESCE(o.is_default, false) AS "isDefaultOrg",
         CASE WHEN n.notice ? 'timezone' THEN n.notice ->> 'timezone' ELSE o.timezone END AS timezone,
         COALESCE(n.config, CASE WHEN COALESCE(a.type, c.type) = n.channel_type THEN COALESCE(a.config, c.config) END) AS config,
         r.contact_id AS "contactId", c.name AS "contactName",
         e.created_at AS "endedAt", e.duration_seconds AS "endedAfterSeconds"
       FROM notification n
       LEFT JOIN organization o ON o.id = n.org_id
       LEFT JOIN alert a ON a.id = n.alert_id
       CROSS JOIN LATERAL (
         SELECT CASE WHEN n.config IS NULL AND n.alert_id IS NOT NULL THEN a.contact_id ELSE n.contact_id END AS contact_id) r
       LEFT JOIN contact c ON c.id = r.contact_id
       LEFT JOIN alert_event e
         ON n.kind = 'triggered' AND e.alert_id = n.alert_id AND e.incident_no = n.incident_no AND e.type = 'resolved'
       WHERE n.id = ANY ($1::uuid[]) AND n.lease_token = $2`,
      [ids, attempt.token],
    );
  }

  private open(
    channelType: string,
    notification: Notification,
    source: Row & { config: SealedConfig },
  ): AttemptContent | NothingToSend {
    const { alertId, contactId, contactName, incidentId, incidentNumber, outage, orgId, timezone, isDefaultOrg } =
      source;
    const through = source.through && { ...source.through, id: formatId('contact', source.through.id) };
    if (!this.channels.has(channelType)) {
      const reason = `This installation has no channel of type "${channelType}".`;
      return { cannot: 'unsendable', reason };
    }
    const owner = ownerOf(alertId ?? '', contactId);
    try {
      const config = this.sealed.open(owner, source.config);
      const egress = this.egress.forOrganization({ id: orgId, isDefault: isDefaultOrg });
      const incident = {
        ...(incidentId !== null && { incidentId: formatId('incident', incidentId) }),
        ...(incidentNumber !== null && { incidentNumber, outage: Math.max(1, outage ?? 1) }),
        ...(timezone !== null && { timezone }),
      };
      const told = { ...notification, ...(through && { through }), ...incident };
      return { notification: told, config, egress, host: this.hostOf(channelType, config) };
    } catch (error) {
      this.logger.error(`the config of ${owner} cannot be read: ${String(error)}`);
      return { cannot: 'unsendable', reason: unreadable(contactId, contactName) };
    }
  }

  private hostOf(channelType: string, config: object): string {
    const [dialed] = this.configs.dialed(channelType, config);
    if (!dialed) return `channel:${channelType}`;
    return readUrl(dialed.value)?.host ?? cut(dialed.value, 255, '');
  }
}

function unreadable(contactId: string | null, contactName: string | null): string {
  if (contactId === null) return 'The stored config cannot be read. Save the alert rule again with its config.';
  const contact = contactName === null ? 'a deleted contact' : `the contact "${cut(contactName, 80)}"`;
  return `The stored config of ${contact} cannot be read. Save the contact again with its config.`;
}

/**
 * Builds an attempt's notification from the notifications stored with its deliveries. Returns `null` if the rows no
 * longer exist.
 */
export function attemptNotification(
  { parts, digest, repeat }: Pick<Attempt, 'parts' | 'digest' | 'repeat'>,
  stored: ReadonlyMap<string, StoredNotification>,
): Notification | null {
  const [first, ...others] = parts.flatMap((part) => {
    const notification = partNotification(part, stored);
    return notification ? [notification] : [];
  });
  if (!first) return null;
  if (digest) return digestNotification([first, ...others], digest, repeat);
  return { ...first, repeat };
}

/** The text always contains the times of the transitions, however late the attempt is. */
function partNotification(part: AttemptPart, stored: ReadonlyMap<string, StoredNotification>): Notification | null {
  const primary = stored.get(part.primary);
  if (!primary) return null;
  const merged = part.merged === null ? null : (stored.get(part.merged)?.notification ?? null);
  if (part.kind === 'recovered') return recovered(primary, merged);
  // A flapping message has the content of its trigger or resolve, so only the kind changes.
  const notification = { ...primary.notification, kind: part.kind } as Notification;
  return part.kind === 'triggered' && merged
    ? { ...notification, upSeconds: secondsBetween(merged, notification) }
    : notification;
}

/** Describes the outage as a whole: its trigger's error, when it ended, and how long it lasted. */
function recovered(
  { notification, endedAt, endedAfterSeconds }: StoredNotification,
  trigger: Notification | null,
): Notification {
  return {
    ...notification,
    kind: 'recovered',
    triggerId: null,
    error: trigger?.error ?? notification.error,
    isDegraded: trigger?.isDegraded ?? notification.isDegraded,
    failureCount: trigger?.failureCount ?? notification.failureCount,
    createdAt: endedAt?.toISOString() ?? notification.createdAt,
    durationSeconds: notification.durationSeconds ?? endedAfterSeconds,
  };
}

const secondsBetween = (from: Notification, to: Notification): number =>
  Math.max(0, Math.round((Date.parse(to.createdAt) - Date.parse(from.createdAt)) / 1000));
