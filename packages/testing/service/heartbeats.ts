import type { INestApplicationContext } from '@nestjs/common';
import { HeartbeatSweep } from '../../../src/heartbeat/heartbeat-sweep.job';
import { Database } from '../../../src/platform/database/database';
import { DatabaseClock } from '../../../src/platform/database/database-clock';
import { eventually } from '../eventually';
import { type ApiResponse, requestOnce } from './api';

/** A `HEARTBEAT` endpoint as seen by a key with the write role. Other keys see a masked ping URL. */
export interface PingedEndpoint {
  readonly heartbeat: { readonly ping_id: string };
}

export type SentKind = 'success' | 'start' | 'fail' | 'log';

export interface PingExtras {
  /** The job's output. The service keeps the first 10,000 bytes. */
  body?: string | Buffer;
  /** The run ID, a UUID. It distinguishes overlapping runs. */
  rid?: string;
  /** 0 to 255, sent in the URL in place of the kind. 0 means success. */
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

/** Evaluates the heartbeats that are late by the application's clock, and waits for a running sweep to finish. */
export async function judgeLateHeartbeats(app: INestApplicationContext): Promise<void> {
  const [sweep, database, clock] = [app.get(HeartbeatSweep), app.get(Database), app.get(DatabaseClock)];
  const left = 'SELECT 1 FROM heartbeat WHERE pending IS NOT NULL OR next_at <= $1 LIMIT 1';
  await eventually('late heartbeats to be judged', async () => {
    const isDone = (await database.query(left, [clock.now()])).length === 0;
    if (!isDone) await sweep.run();
    return isDone;
  });
}
