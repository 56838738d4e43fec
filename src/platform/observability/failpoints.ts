import { Injectable } from '@nestjs/common';
import { Config } from '../config/config';
import { StartError } from '../config/start-error';

/** All points at which a test can make the process fail. */
export const FAILPOINTS = [
  'start.before_first_key',
  'start.after_first_key',
  'schedule.after_claim',
  'schedule.before_give_back',
  'recorder.before_commit',
  'outbox.before_claim',
  'outbox.after_claim',
  'outbox.before_send',
  'outbox.after_request_written',
  'outbox.after_send',
  'outbox.after_ack',
  'idempotency.after_change',
  'idempotency.before_commit',
  'idempotency.after_commit',
  'maintenance.before_begun',
  'maintenance.after_begun',
  'maintenance.before_over',
  'maintenance.after_over',
  'contact.alerts_locked',
  'contact.deliveries_rerouted',
  'contact.alerts_saved',
  'contact.episodes_closed',
  'contact.committed',
  'reminder.after_lock',
  'reminder.after_enqueue',
  'reminder.before_commit',
  'reminder.after_commit',
  'failing_contacts.after_enqueue',
  'certificate_expiry.after_enqueue',
  'certificate_expiry.after_commit',
  'heartbeat.before_commit',
  'heartbeat.committed',
  'heartbeat.recorded',
  'incident.locked',
  'incident.saved',
  'incident.members_saved',
  'incident.flags_saved',
  'incident.members_left',
  'regrouping.members_moved',
  'regrouping.before_commit',
  'regrouping.committed',
  'acknowledgement.before_commit',
  'acknowledgement.step',
  'acknowledgement.step_before_commit',
  'apply.locked',
  'apply.endpoints_made',
  'apply.before_commit',
  'apply.committed',
  'account.token_used',
  'account.joined',
  'account.signed_in',
  'account.committed',
  'account.erased',
  'single_sign_on.person_made',
  'single_sign_on.joined',
  'single_sign_on.committed',
  'account.erasure_committed',
] as const;
export type FailpointName = (typeof FAILPOINTS)[number];

const ACTIONS = ['kill', 'error', 'hang', 'slow'] as const;
const SLOW_MS = 3000;
type Action = (typeof ACTIONS)[number];

interface Armed {
  action: Action;
  once: boolean;
}

let armed: ReadonlyMap<FailpointName, Armed> = new Map();

/**
 * Fails at this point if a test has armed it: `kill` ends the process immediately like `kill -9`, `error` throws,
 * `hang` never returns, and `slow` takes 3 s. Cost: a lookup in an empty map if nothing is armed.
 */
export async function failpoint(name: FailpointName): Promise<void> {
  const found = armed.get(name);
  if (!found) return;
  if (found.once) armed = new Map([...armed].filter(([other]) => other !== name));
  switch (found.action) {
    case 'kill':
      process.kill(process.pid, 'SIGKILL');
      return new Promise(() => {});
    case 'error':
      throw new Error(`failpoint ${name}`);
    case 'hang':
      return new Promise(() => {});
    case 'slow':
      return new Promise((resolve) => setTimeout(resolve, SLOW_MS));
    default:
      return found.action satisfies never;
  }
}

/**
 * Returns a failpoint as a function, for code that must prepare for it. Returns `undefined` unless a test has armed it.
 */
export const armedFailpoint = (name: FailpointName): (() => Promise<void>) | undefined =>
  armed.has(name) ? () => failpoint(name) : undefined;

/**
 * Arms the failpoints that are listed as `name=kill|error|hang|slow[:once]` and disarms all others. Throws for an
 * unknown name or action, and for any entry in production.
 */
export function armFailpoints(entries: readonly string[], nodeEnv = process.env['NODE_ENV']): void {
  if (entries.length > 0 && nodeEnv === 'production')
    throw new StartError('FAILPOINTS are only for tests: unset the variable, or unset NODE_ENV=production.');
  armed = new Map(entries.map(parse));
}

function parse(entry: string): [FailpointName, Armed] {
  const [, name, action, once] = /^([\w.]+)=(\w+)(:once)?$/.exec(entry) ?? [];
  const known = FAILPOINTS.find((failpointName) => failpointName === name);
  const does = ACTIONS.find((known) => known === action);
  if (!known || !does)
    throw new StartError(
      `FAILPOINTS: "${entry}" is not one of ${FAILPOINTS.join(', ')} with =${ACTIONS.join('|')}[:once].`,
    );
  return [known, { action: does, once: once !== undefined }];
}

@Injectable()
export class Failpoints {
  constructor(config: Config) {
    armFailpoints(config.failpoints);
  }
}
