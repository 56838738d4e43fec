import { Injectable } from '@nestjs/common';
import { Metrics } from '../platform/observability/metrics';
import { Problem } from '../platform/problem/problem';
import { SIGN_INS, type SignIn } from './person/sign-ins';

const HASHES_WAITING = {
  name: 'uptime_password_hashes_waiting',
  help: 'Passwords that wait to be hashed. At most 20; beyond that, sign-ins are rejected.',
};

/** Sign-in metrics. Labels contain no personal data. */
@Injectable()
export class IdentityMetrics {
  private readonly signIns;

  constructor(private readonly metrics: Metrics) {
    this.signIns = metrics.labelledCounter({
      name: 'uptime_sign_ins_total',
      help: 'Sign-ins by credential and result: accepted, refused (wrong credential), or limited (too many).',
      values: { via: SIGN_INS, result: ['accepted', 'refused', 'limited'] },
    });
  }

  signedIn(via: SignIn): void {
    this.signIns.inc({ via, result: 'accepted' });
  }

  /** If the attempt fails, counts the reason and rethrows the error. */
  async countFailure<T>(via: SignIn, attempt: () => Promise<T>): Promise<T> {
    try {
      return await attempt();
    } catch (error) {
      const code = error instanceof Problem ? error.code : null;
      if (code === 'unauthenticated') this.signIns.inc({ via, result: 'refused' });
      if (code === 'rate_limited') this.signIns.inc({ via, result: 'limited' });
      throw error;
    }
  }

  watchHashes(waiting: () => number): void {
    this.metrics.watch(HASHES_WAITING, waiting);
  }
}
