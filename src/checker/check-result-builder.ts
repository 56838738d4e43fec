import type { DialPhases } from '../platform/net/dial/dial-error';
import type { CheckFailure } from './check-failure';
import type { Certificate, CheckPhases, CheckResult } from './checker';

const sum = (a: number | null, b: number | null): number | null => (a === null ? b : a + (b ?? 0));

/** What is learned about a target while it is checked; becomes the report. A redirected request adds its phases up. */
export class CheckResultBuilder {
  readonly phases: CheckPhases = { dnsMs: null, connectMs: null, tlsMs: null, firstByteMs: null, transferMs: null };
  readonly redirects: string[] = [];
  statusCode: number | null = null;
  address: string | null = null;
  certificate: Certificate | null = null;
  records: string[] | null = null;

  addDial(phases: DialPhases, address: string | null): void {
    this.add('dnsMs', phases.dnsMs);
    this.add('connectMs', phases.connectMs);
    this.add('tlsMs', phases.tlsMs);
    this.address = address ?? this.address;
  }

  add(phase: keyof CheckPhases, ms: number | null): void {
    this.phases[phase] = sum(this.phases[phase], ms);
  }

  /** Sum of the phases, so that our own scheduling gaps are not billed to the target. */
  get durationMs(): number {
    const { dnsMs, connectMs, tlsMs, firstByteMs, transferMs } = this.phases;
    return (dnsMs ?? 0) + (connectMs ?? 0) + (tlsMs ?? 0) + (firstByteMs ?? 0) + (transferMs ?? 0);
  }

  /** `null`: the target is up. */
  result(failure: CheckFailure | null): CheckResult {
    return {
      outcome: failure?.outcome ?? 'up',
      durationMs: this.durationMs,
      phases: this.phases,
      statusCode: this.statusCode,
      address: this.address,
      certificate: this.certificate,
      records: this.records,
      redirects: this.redirects,
      error: failure?.error ?? null,
    };
  }
}
