import { Injectable } from '@nestjs/common';
import { Database } from '../../platform/database/database';
import { formatId } from '../../platform/ids/id';
import { problems } from '../../platform/problem/problem';
import { endOf, type SignedIn, type SignIn } from '../session/session.service';
import type { OwnSessionView } from './account.dto';

interface Row {
  id: string;
  created_at: Date;
  last_seen_at: Date;
  address: string | null;
  user_agent: string | null;
  via: SignIn | null;
}

/** A person's sessions, for that person alone. */
@Injectable()
export class OwnSessionsService {
  constructor(private readonly database: Database) {}

  async list({ id: current, person }: SignedIn): Promise<OwnSessionView[]> {
    const rows = await this.database.query<Row>(
      `SELECT id, created_at, last_seen_at, address, user_agent, via FROM session
        WHERE person_id = $1 AND id IS NOT NULL ORDER BY created_at DESC`,
      [person?.id],
    );
    return rows.map((row) => ({
      id: formatId('session', row.id),
      created_at: row.created_at.toISOString(),
      last_seen_at: row.last_seen_at.toISOString(),
      expires_at: endOf(row).toISOString(),
      address: row.address,
      user_agent: row.user_agent,
      via: row.via,
      current: row.id === current,
    }));
  }

  /** Throws `not_found` for a session of anybody else. */
  async end({ person }: SignedIn, id: string): Promise<void> {
    const ended = await this.database.query('DELETE FROM session WHERE person_id = $1 AND id = $2 RETURNING 1', [
      person?.id,
      id,
    ]);
    if (ended.length === 0) throw problems.notFound();
  }

  async endOthers({ id, person }: SignedIn): Promise<void> {
    await this.database.query('DELETE FROM session WHERE person_id = $1 AND id IS DISTINCT FROM $2', [person?.id, id]);
  }
}
