import { typeProblems } from '../../src/endpoint/heartbeat/heartbeat-rules';
import { EVERY_BOUNDS, HEARTBEAT } from '../../src/endpoint/heartbeat/heartbeat-schedule';
import type { HeartbeatDto } from '../../src/endpoint/heartbeat/heartbeat.dto';

/** Why the API would refuse a heartbeat, in the words of another program's file; `null` when it would not. */
export function heartbeatRefusal(heartbeat: HeartbeatDto): string | null {
  const [problem] = typeProblems({ type: HEARTBEAT, heartbeat }, HEARTBEAT, null);
  return problem ? `its heartbeat would be refused: ${problem.message}` : null;
}

/** A period as the API takes it, and how it differs from that of the file. Seconds. */
export function everyFrom(seconds: number): { every: number; difference: string | null } {
  const { minimum, maximum } = EVERY_BOUNDS;
  const every = Math.min(maximum, Math.max(minimum, Math.ceil(seconds)));
  return { every, difference: every === seconds ? null : `a ping is due every ${every} seconds, not every ${seconds}` };
}

/** A grace time as the API takes it. Seconds. */
export const graceFrom = (seconds: number): number => Math.min(EVERY_BOUNDS.maximum, Math.max(0, Math.ceil(seconds)));

/** What has no address here that its jobs know. */
export const NEW_ADDRESS = 'it gets a new ping URL, so its jobs must be changed';
