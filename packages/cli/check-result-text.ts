import type { CheckResult } from '../../src/checker/checker';

/** A result as JSON, in the words of the API. */
export function resultJson(result: CheckResult): object {
  const { phases, certificate } = result;
  return {
    outcome: result.outcome,
    duration_ms: rounded(result.durationMs),
    phases: {
      dns_ms: rounded(phases.dnsMs),
      connect_ms: rounded(phases.connectMs),
      tls_ms: rounded(phases.tlsMs),
      first_byte_ms: rounded(phases.firstByteMs),
      transfer_ms: rounded(phases.transferMs),
    },
    status_code: result.statusCode,
    address: result.address,
    certificate: certificate && {
      expires_at: certificate.expiresAt,
      issuer: certificate.issuer,
      subject: certificate.subject,
      names: certificate.names,
    },
    records: result.records,
    redirects: result.redirects,
    error: result.error,
    warning: result.warning,
  };
}

/** A result for a terminal: the verdict first, a warning beside it, then what was learned, one fact a line. */
export function resultText(type: string, url: string, result: CheckResult): string {
  const verdict = result.outcome.toUpperCase() + (result.warning ? ', with a warning' : '');
  const lines = [`${verdict}  ${type} ${printable(url)}  ${shownMs(result.durationMs)}`];
  const fact = (name: string, value: string | null) => {
    if (value !== null) lines.push(`  ${name.padEnd(12)}${printable(value)}`);
  };
  if (result.error) {
    fact('error', `${result.error.code} (${result.error.phase})`);
    fact('', result.error.message);
  }
  if (result.warning) {
    fact('warning', `${result.warning.code} (${result.warning.phase})`);
    fact('', result.warning.message);
  }
  fact('address', result.address);
  fact('dns', milliseconds(result.phases.dnsMs));
  fact('connect', milliseconds(result.phases.connectMs));
  fact('tls', milliseconds(result.phases.tlsMs));
  fact('first byte', milliseconds(result.phases.firstByteMs));
  fact('transfer', milliseconds(result.phases.transferMs));
  fact('status', result.statusCode === null ? null : String(result.statusCode));
  for (const redirect of result.redirects) fact('redirect', redirect);
  if (result.certificate) {
    const { subject, issuer, expiresAt, names } = result.certificate;
    fact('certificate', `${subject}, issued by ${issuer}, expires ${expiresAt}`);
    fact('names', names.join(', '));
  }
  for (const record of result.records ?? []) fact('record', record);
  return lines.join('\n');
}

const rounded = (ms: number | null): number | null => (ms === null ? null : Math.round(ms * 1000) / 1000);

const shownMs = (ms: number): string => `${ms.toFixed(ms < 10 ? 2 : 1)} ms`;

const milliseconds = (ms: number | null): string | null => (ms === null ? null : shownMs(ms));

/** Text of a target must not control the terminal. */
const printable = (text: string): string => text.replace(/\p{C}/gu, '?');
