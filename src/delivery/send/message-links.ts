import { Injectable } from '@nestjs/common';
import type { ChannelAudience } from '../../channel/channel';
import type { Notification } from '../../channel/notification';
import { Config } from '../../platform/config/config';
import { parseId } from '../../platform/ids/id';
import { ServerSecrets } from '../../platform/secrets/server-secrets';
import { DAY_MS } from '../../platform/time/time-units';
import { isHuman } from '../delivery';
import { signClaim } from './acknowledge-token';

/** The path of the page for acknowledging an episode, relative to the service's public URL. */
export const ACKNOWLEDGE_PATH = '/ack';

const VALID_MS = 7 * DAY_MS;
const INCIDENT_KEY = /^(al_\w+)-(\d{1,9})$/;

/**
 * Adds links to a notification. They are added when it is sent, so that nothing signed is stored and a new `PUBLIC_URL`
 * takes effect immediately. They are the same for every attempt.
 */
@Injectable()
export class MessageLinks {
  constructor(
    private readonly config: Config,
    private readonly secrets: ServerSecrets,
  ) {}

  /** Returns the notification with its links, or unchanged if `PUBLIC_URL` isn't set. */
  addTo(notification: Notification, audience: ChannelAudience): Notification {
    const { publicUrl } = this.config;
    if (publicUrl === null) return notification;
    const token = isHuman(audience) ? this.tokenOf(notification) : null;
    return {
      ...notification,
      links: {
        page: `${publicUrl}/${pageOf(notification)}`,
        ...(notification.incidentId && { incident: `${publicUrl}/#/incidents/${notification.incidentId}` }),
        acknowledge: token === null ? null : `${publicUrl}${ACKNOWLEDGE_PATH}/${token}`,
      },
    };
  }

  /**
   * Returns a token that is valid for seven days from the trigger or reminder, or `null` if there is nothing to
   * acknowledge.
   */
  private tokenOf({ kind, incidentKey, createdAt, digest }: Notification): string | null {
    const isFold = digest?.incident !== undefined && digest.incident.down > 0;
    if (kind !== 'triggered' && kind !== 'reminder' && !isFold) return null;
    const [, id, no] = INCIDENT_KEY.exec(incidentKey) ?? [];
    const alertId = parseId('alert', id);
    if (alertId === null) return null;
    return signClaim(this.secrets.get('acknowledge_link'), {
      alertId,
      episodeNo: Number(no),
      expiresAt: new Date(Date.parse(createdAt) + VALID_MS),
    });
  }
}

/**
 * Returns the dashboard route that follows the `#`. For a fold, this is the incident, and for any other digest, the
 * overview. Otherwise, it is the page of the resource that the message is about.
 */
function pageOf({ kind, contact, alert, endpoint, digest }: Notification): string {
  if (digest?.incident) return `#/incidents/${digest.incident.id}`;
  if (kind === 'digest') return '';
  if (contact) return `#/contacts/${contact.id}`;
  return kind === 'test' && isSaved(alert, endpoint) ? `#/alerts/${alert.id}` : `#/endpoints/${endpoint.id}`;
}

/** A test of an unsaved alert contains its endpoint's UUID instead of an alert ID. */
const isSaved = (alert: Notification['alert'], endpoint: Notification['endpoint']): boolean =>
  parseId('alert', alert.id) !== parseId('endpoint', endpoint.id);
