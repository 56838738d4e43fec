import type { INestApplicationContext } from '@nestjs/common';
import { HeartbeatSweep } from '../../../src/heartbeat/heartbeat-sweep.job';
import { Database } from '../../../src/platform/database/database';
import { DatabaseClock } from '../../../src/platform/database/database-clock';
import { eventually } from '../eventually';
import { type ApiResponse, requestOnce } from './api';

/** An endpoint of type `HEARTBEAT` as the API shows it to a key that may write: others see its address masked. */
export interface PingedEndpoint {
  readonly heartbeat: { readonly ping_id: string };
}

/** What a ping says. */
export type SentKind = 'success' | 'start' | 'fail' | 'log';

/** What goes along with a ping. */
export interface PingExtras {
  /** The output of the job: its first 10,000 bytes are kept. */
  body?: string | Buffer;
  /** Which run, a UUID: runs that overlap are told apart by it. */
  rid?: string;
  /** 0 to 255, said in the address in place of the kind: 0 is a success. */
  exitCode?: number;
}

/** Sends a ping to the service at `url`. */
export function sendPing(
  url: string,
  { heartbeat }: PingedEndpoint,
  kind: SentKind,
  { body, rid, exitCode }: PingExtras,
): Promise<ApiResponse> {
  const said = exitCode ?? (kind === 'success' ? null : kind);
  const path = `/ping/${heartbeat.ping_id}${said === null ? '' : `/${said}`}${rid === undefined ? '' : `?rid=${rid}`}`;
  return requestOnce(body === undefined ? 'GET' : 'POST', url + path, {}, body);
}

/** Judges the heartbeats that are late by the application's clock, and waits for what its own sweep has begun. */
export async function judgeLateHeartbeats(app: INestApplicationContext): Promise<void> {
  const [sweep, database, clock] = [app.get(HeartbeatSweep), app.get(Database), app.get(DatabaseClock)];
  const left = 'SELECT 1 FROM heartbeat WHERE pending IS NOT NULL OR next_at <= $1 LIMIT 1';
  await eventually('late heartbeats to be judged', async () => {
    const isDone = (await database.query(left, [clock.now()])).length === 0;
    if (!isDone) await sweep.run();
    return isDone;
  });
}
