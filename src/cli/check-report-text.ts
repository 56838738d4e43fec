import type { CheckResult } from '../checker/checker';

/** A report as JSON, in the words of the API. */
export function resultJson(report: CheckResult): object {
  const { phases, certificate } = report;
  return {
    outcome: report.outcome,
    duration_ms: rounded(report.durationMs),
    phases: {
      dns_ms: rounded(phases.dnsMs),
      connect_ms: rounded(phases.connectMs),
      tls_ms: rounded(phases.tlsMs),
      first_byte_ms: rounded(phases.firstByteMs),
      transfer_ms: rounded(phases.transferMs),
    },
    status_code: report.statusCode,
    address: report.address,
    certificate: certificate && {
      expires_at: certificate.expiresAt,
      issuer: certificate.issuer,
      subject: certificate.subject,
      names: certificate.names,
    },
    records: report.records,
    redirects: report.redirects,
    error: report.error,
  };
}

/** A report for a terminal: the verdict first, then what was learned, one fact a line. */
export function resultText(type: string, url: string, report: CheckResult): string {
  const lines = [`${report.outcome.toUpperCase()}  ${type} ${printable(url)}  ${shownMs(report.durationMs)}`];
  const fact = (name: string, value: string | null) => {
    if (value !== null) lines.push(`  ${name.padEnd(12)}${printable(value)}`);
  };
  if (report.error) {
    fact('error', `${report.error.code} (${report.error.phase})`);
    fact('', report.error.message);
  }
  fact('address', report.address);
  fact('dns', milliseconds(report.phases.dnsMs));
  fact('connect', milliseconds(report.phases.connectMs));
  fact('tls', milliseconds(report.phases.tlsMs));
  fact('first byte', milliseconds(report.phases.firstByteMs));
  fact('transfer', milliseconds(report.phases.transferMs));
  fact('status', report.statusCode === null ? null : String(report.statusCode));
  for (const redirect of report.redirects) fact('redirect', redirect);
  if (report.certificate) {
    const { subject, issuer, expiresAt, names } = report.certificate;
    fact('certificate', `${subject}, issued by ${issuer}, expires ${expiresAt}`);
    fact('names', names.join(', '));
  }
  for (const record of report.records ?? []) fact('record', record);
  return lines.join('\n');
}

const rounded = (ms: number | null): number | null => (ms === null ? null : Math.round(ms * 1000) / 1000);

const shownMs = (ms: number): string => `${ms.toFixed(ms < 10 ? 2 : 1)} ms`;

const milliseconds = (ms: number | null): string | null => (ms === null ? null : shownMs(ms));

/** What a target sends must not steer the terminal. */
const printable = (text: string): string => text.replace(/\p{C}/gu, '?');
