import { Injectable } from '@nestjs/common';
import { Metrics } from '../platform/observability/metrics';
import { Problem } from '../platform/problem/problem';

const HASHES_WAITING = {
  name: 'uptime_password_hashes_waiting',
  help: 'Passwords that wait to be hashed: 20 at most, then sign-ins are refused.',
};

/** Metrics of who signs in. Labels name nobody. */
@Injectable()
export class IdentityMetrics {
  private readonly signIns;

  constructor(private readonly metrics: Metrics) {
    this.signIns = metrics.counter({
      name: 'uptime_sign_ins_total',
      help: 'Sign-ins by what was shown, and what came of it: accepted, refused as wrong, or limited: too many.',
      labelNames: ['via', 'result'],
    });
  }

  /** `via`: a `SignIn`. */
  signedIn(via: string): void {
    this.signIns.inc({ via, result: 'accepted' });
  }

  /** Counts why an attempt failed, when it does, and throws the same. */
  async countFailure<T>(via: string, attempt: () => Promise<T>): Promise<T> {
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
