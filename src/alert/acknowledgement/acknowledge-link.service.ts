import { Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import { type Authorship, originOf } from '../../audit/authorship';
import { type AcknowledgeClaim, readClaim } from '../../delivery/send/acknowledge-token';
import { authorName } from '../../platform/access/author';
import { clientNetworks } from '../../platform/access/client-network';
import { NetworkBuckets } from '../../platform/capacity/by-network';
import { Config } from '../../platform/config/config';
import { Database } from '../../platform/database/database';
import { DatabaseClock } from '../../platform/database/database-clock';
import { problems } from '../../platform/problem/problem';
import { ServerSecrets } from '../../platform/secrets/server-secrets';
import { isRecord } from '../../platform/text/json';
import { cut, oneLine, someLines } from '../../platform/text/text-limits';
import { DAY_MS, SECOND_MS } from '../../platform/time/time-units';
import { episodePage, type LinkedEndpoint, NO_LINK_PAGE, overPage, PAGE_POLICY } from './acknowledge-page';
import { isByLink, MAX_LINK_NAME, MAX_NOTE, nameOfLink } from './acknowledgement.dto';
import { IncidentAcknowledgementService } from './incident-acknowledgement.service';
import { AcknowledgementService } from './acknowledgement.service';

const MAX_NOTE_LINES = 50;

interface Row {
  orgId: string;
  endpointId: string;
  endpoint: string;
  website: string;
  timezone: string;
  error: string | null;
  /** The name of the contact that the alert notifies. */
  contact: string | null;
  isOpen: boolean;
  isDown: boolean;
  isDegraded: boolean;
  startedAt: Date | null;
  by: string | null;
  at: Date | null;
  note: string | null;
  /**
   * The open incident that the endpoint is in now, or the one it was in, if that incident has other endpoints as well.
   */
  incidentId: string | null;
  incidentNumber: number;
  incidentOpen: number;
  incidentBy: string | null;
  incidentAt: Date | null;
  incidentNote: string | null;
}

/**
 * The page that a link in a message opens. The token is the only authorization: anyone with the link may read the page
 * and acknowledge its episode, without an API key, origin, or cookie. A GET changes nothing, because email scanners and
 * chat previews follow links too.
 */
@Injectable()
export class AcknowledgeLinkService {
  private readonly requests: NetworkBuckets | null;

  constructor(
    private readonly database: Database,
    private readonly acknowledgements: AcknowledgementService,
    private readonly incidents: IncidentAcknowledgementService,
    private readonly secrets: ServerSecrets,
    private readonly clock: DatabaseClock,
    { statusRateLimitPerSecond: rate }: Config,
  ) {
    this.requests = rate === 0 ? null : new NetworkBuckets({ rate, burst: rate * 2 }, () => clock.monotonic());
  }

  /**
   * Responds with the episode's page, even after the episode has ended. Responds with 404 for a token that is invalid,
   * was changed, or is too old. Throws `rate_limited` for an address with too many requests.
   */
  async show(token: string, request: Request, response: Response): Promise<void> {
    const claim = this.claimOf(token, request);
    if (claim === null) return sendNotFound(request, response);
    send(request, response, await this.page(claim, false, rememberedName(request)));
  }

  /** Acknowledges the episode, unless it has ended or is already acknowledged. Responds like `show`. */
  async take(token: string, request: Request, response: Response): Promise<void> {
    const claim = this.claimOf(token, request);
    if (claim === null) return sendNotFound(request, response);
    const row = await this.read(claim);
    const name = nameOf(request.body);
    const isDone = row !== null && (await this.takeRow(claim, row, name, request));
    if (isDone && name !== '') rememberName(request, response, name);
    send(request, response, await this.page(claim, isDone, name));
  }

  private takeRow(claim: AcknowledgeClaim, row: Row, name: string, request: Request): Promise<boolean> {
    const [said, author] = [{ name, note: noteOf(request.body) }, authorOf(request)];
    if (isRecord(request.body) && request.body['all'] === '1' && row.incidentId !== null)
      return this.incidents.putByLink(row.orgId, row.incidentId, said, author);
    if (!row.isOpen) return Promise.resolve(false);
    return this.acknowledgements.putByLink({ ...claim, orgId: row.orgId, endpointId: row.endpointId }, said, author);
  }

  private claimOf(token: string, request: Request): AcknowledgeClaim | null {
    const wait = this.requests?.take(clientNetworks(request)) ?? 0;
    if (wait > 0) throw problems.rateLimited(Math.ceil(wait));
    return readClaim(this.secrets.get('acknowledge_link'), token, this.clock.now());
  }

  private async page(claim: AcknowledgeClaim, isDone: boolean, name: string): Promise<string> {
    const row = await this.read(claim);
    return row && (row.isOpen || row.incidentId !== null)
      ? episodePage(linkedEndpoint(row), { isDone, name: name || (row.contact ?? ''), now: this.clock.now() })
      : overPage(row);
  }

  /**
   * Returns `null` if the signed alert was deleted. The alert also determines the organization. While the episode is
   * open, the incident is the one that the endpoint is in now. After that, it is the one in the notification, or the
   * one that it was merged into. Cost: lookups by key only.
   */
  private async read({ alertId, episodeNo }: AcknowledgeClaim): Promise<Row | null> {
    const [row] = await this.database.query<Row>(
      `SELECT a.org_id AS "orgId", e.id AS "endpointId", e.name AS endpoint, w.name AS website, o.timezone, v.error_message AS error,
         (SELECT c.name FROM contact c WHERE c.id = a.contact_id) AS contact,
         a.triggered AND a.incident_no = $2 AS "isOpen", a.incident_started_at AS "startedAt",
         s.status = 0 AS "isDown", s.degraded_since IS NOT NULL AS "isDegraded", ${authorName('k.by_name', 'k.person_id')} AS by, k.at, k.note,
         i.id AS "incidentId", i.number AS "incidentNumber", i.open_count AS "incidentOpen", ${authorName('i.ack_by', 'i.ack_person_id')} AS "incidentBy",
         CASE WHEN i.ack_until IS NULL OR i.ack_until > $3 THEN i.ack_at END AS "incidentAt", i.ack_note AS "incidentNote"
       FROM alert a
       JOIN endpoint e ON e.id = a.endpoint_id
       JOIN endpoint_state s ON s.endpoint_id = e.id
       JOIN website w ON w.id = e.website_id
       JOIN organization o ON o.id = a.org_id
       LEFT JOIN acknowledgement k ON k.endpoint_id = e.id AND (k.until IS NULL OR k.until > $3)
       LEFT JOIN incident_member m ON m.endpoint_id = e.id AND m.ended_at IS NULL
       LEFT JOIN alert_event v ON v.alert_id = a.id AND v.incident_no = $2 AND v.type = 'triggered'
       LEFT JOIN incident was ON was.id = v.incident_id
       LEFT JOIN incident i ON i.ended_at IS NULL AND i.endpoint_count > 1
         AND i.id = CASE WHEN a.triggered AND a.incident_no = $2 THEN m.incident_id ELSE COALESCE(was.merged_into, was.id) END
       WHERE a.id = $1 AND w.deleted_at IS NULL AND o.deleted_at IS NULL`,
      [alertId, episodeNo, this.clock.now()],
    );
    return row ?? null;
  }
}

const linkedEndpoint = ({ isDown, isDegraded, by, at, note, ...row }: Row): LinkedEndpoint => ({
  ...row,
  status: isDown ? 'down' : isDegraded ? 'degraded' : 'other',
  acknowledgement: inHandBy(by, at, note),
  incident:
    row.incidentId === null
      ? null
      : {
          number: row.incidentNumber,
          open: row.incidentOpen,
          acknowledgement: inHandBy(row.incidentBy, row.incidentAt, row.incidentNote),
        },
});

const inHandBy = (by: string | null, at: Date | null, note: string | null) => {
  const viaLink = isByLink(by);
  return at && { by: viaLink ? nameOfLink(by ?? '') : by, isByLink: viaLink, at, note: note ?? '' };
};

/** The name is one line, because it is shown in lists. */
function nameOf(body: unknown): string {
  const name = isRecord(body) ? body['name'] : undefined;
  return typeof name === 'string' ? cut(oneLine(name).trim(), MAX_LINK_NAME) : '';
}

const NAME_COOKIE = 'ack_name';
const REMEMBERED_SECONDS = (365 * DAY_MS) / SECOND_MS;

/** Returns the name that was entered in this browser before. A cookie without a path belongs to these pages only. */
function rememberedName(request: Request): string {
  const value = new RegExp(`(?:^|;\\s*)${NAME_COOKIE}=([\\w-]{1,600})(?:;|$)`).exec(request.headers.cookie ?? '')?.[1];
  return value === undefined ? '' : nameOf({ name: Buffer.from(value, 'base64url').toString() });
}

function rememberName(request: Request, response: Response, name: string): void {
  const secure = request.secure ? '; Secure' : '';
  const value = Buffer.from(name).toString('base64url');
  response.setHeader(
    'Set-Cookie',
    `${NAME_COOKIE}=${value}; Max-Age=${REMEMBERED_SECONDS}; HttpOnly; SameSite=Lax${secure}`,
  );
}

/**
 * A form counts a line break as two characters, but the page counts it as one. A note that is still too long is
 * truncated.
 */
function noteOf(body: unknown): string {
  const note = isRecord(body) ? body['note'] : undefined;
  return typeof note === 'string' ? cut(someLines(note, MAX_NOTE_LINES), MAX_NOTE) : '';
}

const authorOf = (request: Request): Authorship => ({
  via: 'acknowledge_link',
  keyId: null,
  keyName: null,
  personId: null,
  ...originOf(request),
});

/** Clients that accept any format get the problem as JSON. */
function sendNotFound(request: Request, response: Response): void {
  response.setHeader('Vary', 'Accept');
  response.setHeader('Cache-Control', 'no-store');
  if (request.accepts(['json', 'html']) !== 'html') throw problems.notFound();
  response.status(404);
  send(request, response, NO_LINK_PAGE);
}

/** The URL contains the token, so it must not end up in a cache, a search index, or a `Referer`. */
function send(request: Request, response: Response, body: string): void {
  const bytes = Buffer.from(body);
  response.setHeader('Cache-Control', 'no-store');
  response.setHeader('Content-Security-Policy', PAGE_POLICY);
  response.setHeader('Referrer-Policy', 'no-referrer');
  response.setHeader('X-Robots-Tag', 'noindex, nofollow');
  response.setHeader('Content-Type', 'text/html; charset=utf-8');
  response.setHeader('Content-Length', bytes.length);
  response.end(request.method === 'HEAD' ? undefined : bytes);
}
