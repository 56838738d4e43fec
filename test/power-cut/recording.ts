import { readFileSync } from 'node:fs';
import type { DiskOperation } from './simulated-disk';

/** A fact that a client has seen. From then on it must be in the database, regardless of power cuts. */
export type Fact =
  /** A website or an endpoint was created or renamed. Its name ends with this version, or a later one. */
  | { readonly fact: 'website' | 'endpoint'; readonly id: string; readonly version: number }
  /** A request to delete it was sent. From now on, it may be missing. */
  | { readonly fact: 'deleting'; readonly id: string }
  | { readonly fact: 'deleted'; readonly id: string }
  /** This many pings of a heartbeat got a 200. */
  | { readonly fact: 'pings'; readonly id: string; readonly count: number }
  /** A client read this check of an endpoint. */
  | { readonly fact: 'check'; readonly id: string; readonly at: string }
  /** A webhook was called with this event. */
  | { readonly fact: 'event'; readonly id: string; readonly incident: string; readonly type: string };

/** One moment of a recorded run. */
export type Moment =
  | { readonly kind: 'operation'; readonly operation: DiskOperation; readonly bytes: Uint8Array }
  | { readonly kind: 'fact'; readonly fact: Fact };

const isFact = (content: DiskOperation | Fact): content is Fact => 'fact' in content;

/** Reads a log of `disk-recorder.cjs`, to which facts were appended in the same form. */
export function readRecording(file: string): Moment[] {
  const log = readFileSync(file);
  const moments: Moment[] = [];
  for (let at = 0; at < log.length;) {
    const [text, bytes] = [log.readUInt32LE(at), log.readUInt32LE(at + 4)];
    const content = JSON.parse(log.toString('utf8', at + 8, at + 8 + text)) as DiskOperation | Fact;
    const data = log.subarray(at + 8 + text, at + 8 + text + bytes);
    moments.push(
      isFact(content) ? { kind: 'fact', fact: content } : { kind: 'operation', operation: content, bytes: data },
    );
    at += 8 + text + bytes;
  }
  return moments;
}
