import { Injectable } from '@nestjs/common';
import { recordChange } from '../../audit/audit-log';
import { Database } from '../../platform/database/database';
import { formatId } from '../../platform/ids/id';
import { problems } from '../../platform/problem/problem';
import type { SignIn } from '../person/sign-ins';
import { RateLimits } from '../rate-limits';
import { endOf } from '../session/session-life';
import type { SignedIn } from '../session/session.service';
import type { OwnSessionView } from './account.dto';
import { ownerOf } from './held';

interface Row {
  id: string;
  created_at: Date;
  last_seen_at: Date;
  address: string | null;
  user_agent: string | null;
  via: SignIn | null;
}

/** Lets a person manage their own sessions. */
@Injectable()
export class OwnSessionsService {
  constructor(
    private readonly database: Database,
    private readonly limits: RateLimits,
  ) {}

  async list(held: SignedIn): Promise<OwnSessionView[]> {
    const person = ownerOf(held);
    const rows = await this.database.query<Row>(
      `SELECT id, created_at, last_seen_at, address, user_agent, via FROM session
        WHERE person_id = $1 AND id IS NOT NULL ORDER BY created_at DESC`,
      [person.id],
    );
    return rows.map((row) => ({
      id: formatId('session', row.id),
      created_at: row.created_at.toISOString(),
      last_seen_at: row.last_seen_at.toISOString(),
      expires_at: endOf(row).toISOString(),
      address: row.address,
      user_agent: row.user_agent,
      via: row.via,
      current: row.id === held.id,
    }));
  }

  /** Ends one session. Throws `not_found` for another person's session. */
  async end(held: SignedIn, id: string): Promise<void> {
    if ((await this.endSome(held, 'id = $2', id)) === 0) throw problems.notFound();
  }

  async endOthers(held: SignedIn): Promise<void> {
    await this.endSome(held, 'id IS DISTINCT FROM $2', held.id);
  }

  /** Ends sessions and returns their number. Records this once, in the log of the session's organization. */
  private endSome(held: SignedIn, which: string, id: string | null): Promise<number> {
    const person = ownerOf(held);
    this.limits.countSignIn(person.id);
    return this.database.transaction(async (tx) => {
      const ended = await tx.query(`DELETE FROM session WHERE person_id = $1 AND ${which} RETURNING 1`, [
        person.id,
        id,
      ]);
      if (ended.length > 0 && held.caller)
        await recordChange(tx, { orgId: held.caller.orgId, action: 'sign_out', resource: 'person', id: person.id });
      return ended.length;
    });
  }
}
