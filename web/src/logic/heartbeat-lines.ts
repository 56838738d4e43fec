import { shellQuote } from './commands';

export interface HeartbeatLines {
  title: string;
  /** The lines to paste. */
  text: string;
}

/**
 * Returns commands that a job can use to ping the heartbeat at `pingUrl`, by environment. `JOB` is a placeholder for
 * its command. If others store the text, as in a workflow or a manifest, the URL is kept in a secret there and isn't in
 * the text.
 */
export const heartbeatLines = (pingUrl: string): HeartbeatLines[] => [
  {
    title: 'Shell',
    text: `JOB; curl -fsS -m 10 --retry 5 -o /dev/null ${shellQuote(pingUrl)}/$?`,
  },
  {
    title: 'Crontab',
    // In a crontab, a percent sign ends the command (crontab(5)).
    text: `0 3 * * * JOB; curl -fsS -m 10 --retry 5 -o /dev/null ${shellQuote(pingUrl).replaceAll('%', '\\%')}/$?`,
  },
  {
    title: 'uptime run (reports start, run time, exit code, and output)',
    text: `UPTIME_PING_URL=${shellQuote(pingUrl)} uptime run -- JOB`,
  },
  {
    title: 'systemd',
    // % starts a specifier (systemd.unit(5)) and $ a variable (systemd.service(5)), so $$ passes a $ to the shell. If
    // the job was killed by a signal, the exit status is the signal's name (systemd.exec(5)).
    text: [
      '[Service]',
      'Type=oneshot',
      'ExecStart=JOB',
      `ExecStopPost=/bin/sh -c "[ $$EXIT_CODE = exited ] || EXIT_STATUS=fail; curl -fsS -m 10 --retry 5 -o /dev/null ${systemdQuoted(pingUrl)}/$$EXIT_STATUS"`,
    ].join('\n'),
  },
  {
    title: 'GitHub Actions (needs the secret UPTIME_PING_URL)',
    text: [
      '- name: Ping the heartbeat',
      '  if: always()',
      '  env:',
      '    UPTIME_PING_URL: ${{ secrets.UPTIME_PING_URL }}',
      "    END: ${{ job.status == 'success' && '0' || 'fail' }}",
      '  run: curl -fsS -m 10 --retry 5 -o /dev/null "$UPTIME_PING_URL/$END"',
    ].join('\n'),
  },
  {
    title: 'Kubernetes (needs the secret heartbeat with the key url)',
    text: [
      'containers:',
      '  - name: job',
      '    image: JOB-IMAGE',
      '    command:',
      '      - /bin/sh',
      '      - -c',
      '      - JOB; end=$?; curl -fsS -m 10 --retry 5 -o /dev/null "$UPTIME_PING_URL/$end"; exit $end',
      '    env:',
      '      - name: UPTIME_PING_URL',
      '        valueFrom: { secretKeyRef: { name: heartbeat, key: url } }',
    ].join('\n'),
  },
  {
    title: 'PowerShell',
    text: [
      'JOB',
      `Invoke-RestMethod -Method Post -TimeoutSec 10 -MaximumRetryCount 5 -RetryIntervalSec 2 -Uri (${powerShellQuoted(pingUrl)} + "/$LASTEXITCODE")`,
    ].join('\n'),
  },
];

const systemdQuoted = (text: string): string =>
  shellQuote(text).replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('%', '%%').replaceAll('$', '$$$$');

const powerShellQuoted = (text: string): string => `'${text.replaceAll("'", "''")}'`;
