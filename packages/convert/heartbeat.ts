import { typeProblems } from '../../src/endpoint/heartbeat/heartbeat-rules';
import { EVERY_BOUNDS, HEARTBEAT } from '../../src/endpoint/heartbeat/heartbeat-schedule';
import type { HeartbeatDto } from '../../src/endpoint/heartbeat/heartbeat.dto';

/** Returns why the API would refuse a heartbeat, using the other program's terms, or `null`. */
export function heartbeatRefusal(heartbeat: HeartbeatDto): string | null {
  const [problem] = typeProblems({ type: HEARTBEAT, heartbeat }, HEARTBEAT, null);
  return problem ? `its heartbeat would be refused: ${problem.message}` : null;
}

/** Returns a period in seconds that the API accepts, and how it differs from the file. */
export function everyFrom(seconds: number): { every: number; difference: string | null } {
  const { minimum, maximum } = EVERY_BOUNDS;
  const every = Math.min(maximum, Math.max(minimum, Math.ceil(seconds)));
  return { every, difference: every === seconds ? null : `a ping is due every ${every} seconds, not every ${seconds}` };
}

/** Returns a grace time in seconds that the API accepts. */
export const graceFrom = (seconds: number): number => Math.min(EVERY_BOUNDS.maximum, Math.max(0, Math.ceil(seconds)));

/** The note for a heartbeat whose jobs don't know its new ping URL. */
export const NEW_ADDRESS = 'it gets a new ping URL, so its jobs must be changed';
