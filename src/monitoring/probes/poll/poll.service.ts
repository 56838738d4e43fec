import { Injectable } from '@nestjs/common';
import type { ProbeCaller } from '../../../platform/access/caller';
import { formatId } from '../../../platform/ids/id';
import { ProtocolUnsupported } from '../../../platform/problem/problem';
import { SECOND_MS } from '../../../platform/time/time-units';
import {
  type Ask,
  LEASE_MS,
  type PollRequest,
  type PollResponse,
  SETTINGS_CAPABILITY,
} from '../../../probe-protocol/protocol';
import type { ProbeState } from '../../../platform/access/probe-tokens';
import { type Assignee, Assignments, mayReachPrivate, type Told } from './assignments';
import { PollCursors, type PollPosition, type SentPosition } from './poll-cursors';
import { readPoll } from './poll-request';
import { readableBy } from '../definition';
import { ProbeAsks, type TakenAsk } from '../ask/probe-asks';
import { ProbeSessions } from './probe-sessions';
import { LONGEST_PAUSE_MS, ReplyTimes } from '../reply-times';
import { WaitingPolls } from '../ask/waiting-polls';

export interface Polling {
  probe: ProbeCaller;
  address: string | undefined;
  left: AbortSignal;
}

interface News extends Told {
  full: boolean;
  more: boolean;
  asks: Ask[];
  epoch: number;
}

@Injectable()
export class PollService {
  constructor(
    private readonly sessions: ProbeSessions,
    private readonly cursors: PollCursors,
    private readonly assignments: Assignments,
    private readonly asks: ProbeAsks,
    private readonly waiting: WaitingPolls,
    private readonly times: ReplyTimes,
  ) {}

  /**
   * Returns the changes since the cursor and the requested checks. Responds immediately if there are any, otherwise
   * after `wait` seconds. Throws `validation_failed`, `protocol_unsupported`, and the same errors as
   * `ProbeSessions.hear`.
   */
  async poll(polling: Polling, body: unknown): Promise<PollResponse> {
    const request = await this.read(polling, body);
    const { probe, left } = polling;
    const position = this.cursors.open(probe.probeId, request.cursor, this.times.now.getTime());
    const held = await this.sessions.hear(probe, request, position?.session === request.session, polling.address);
    const first = await this.newsFor(probe, request, held, position);
    if (request.wait === 0 || !isEmpty(first) || left.aborted) return this.respond(polling, request, first, position);
    const known = { number: probe.number, numbered: held.numbered, session: request.session };
    const mayHaveNews = await this.waiting.wait(known, request.wait * SECOND_MS, left);
    // If the client has disconnected, no one reads the response. Requested checks are left for the next poll.
    if (!mayHaveNews || left.aborted) return this.respond(polling, request, first, position);
    const now = await this.sessions.look(probe, request.session);
    return this.respond(polling, request, await this.newsFor(probe, request, now, position), position);
  }

  private async read({ probe, address }: Polling, body: unknown): Promise<PollRequest> {
    try {
      return readPoll(body);
    } catch (error) {
      if (error instanceof ProtocolUnsupported) await this.sessions.hearUnsupported(probe, body as object, address);
      throw error;
    }
  }

  /**
   * Reads the changes and requests for a probe. Cost: no statement if nothing has changed and no check is requested.
   */
  private async newsFor(
    probe: ProbeCaller,
    { count, digest, capabilities }: PollRequest,
    { numbered, epoch, allowPrivate, isAsked }: ProbeState,
    before: PollPosition | null,
  ): Promise<News> {
    const readsSettings = capabilities.includes(SETTINGS_CAPABILITY);
    const to: Assignee = { number: probe.number, isShared: probe.orgId === null, allowPrivate, readsSettings };
    const now = this.times.now;
    const isKnown = before !== null && before.epoch === epoch && before.numbered <= numbered;
    const isTold = isKnown && before.after === null;
    const isSame =
      !isTold || digest === null || (await this.assignments.holds(probe.number, before.numbered, { count, digest }));
    const full = !isTold || !isSame;
    const asks = isAsked ? await this.asks.take(probe.number) : [];
    const told = full
      ? await this.assignments.page(
          to,
          isKnown ? before.after : null,
          isKnown && !isTold ? before.numbered : numbered,
          now,
        )
      : before.numbered === numbered
        ? { ...NOTHING, numbered }
        : await this.assignments.changed(to, before.numbered, now);
    return { ...told, full, asks: asks.map((ask) => toAsk(ask, to)), epoch };
  }

  private respond(
    { probe }: Polling,
    { session }: PollRequest,
    { epoch, numbered, after, full, more, removed, endpoints, asks }: News,
    before: SentPosition | null,
  ): PollResponse {
    const nowMs = this.times.now.getTime();
    return {
      now: nowMs,
      lease_until: nowMs + LEASE_MS,
      cursor: this.cursors.seal(probe.probeId, { session, epoch, numbered, after }, before, nowMs),
      full_sync: full,
      has_more: more,
      removed: removed.map((id) => formatId('endpoint', id)),
      // While the recorder accepts nothing, new results aren't worth a request.
      pause_ms: this.times.pauseMs ?? LONGEST_PAUSE_MS,
      endpoints,
      requests: asks,
    };
  }
}

const NOTHING = { endpoints: [], removed: [], after: null, more: false };

const isEmpty = ({ full, more, removed, endpoints, asks }: News): boolean =>
  !full && !more && removed.length === 0 && endpoints.length === 0 && asks.length === 0;

const toAsk = ({ id, endpointId, orgId, isDefaultOrg, definition, expiresMs }: TakenAsk, to: Assignee): Ask => ({
  request_id: id,
  endpoint_id: endpointId === null ? null : formatId('endpoint', endpointId),
  definition: definition && readableBy(definition, to.readsSettings),
  ...(definition === null
    ? {}
    : { organization: formatId('organization', orgId), allow_private: mayReachPrivate(to, isDefaultOrg) }),
  expires_at: expiresMs,
});
