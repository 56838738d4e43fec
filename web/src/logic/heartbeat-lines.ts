import { shellQuote } from './commands';

/** The way a job sends its pings in one environment. */
export interface HeartbeatLines {
  title: string;
  /** Ready to be pasted. */
  text: string;
}

/**
 * The lines that a job needs to tell the heartbeat at `pingUrl`, by where it runs. `JOB` stands for its command. Where the text is
 * kept by others (a workflow, a manifest) the address is a secret of theirs and does not stand in it.
 */
export const heartbeatLines = (pingUrl: string): HeartbeatLines[] => [
  {
    title: 'Shell',
    text: `JOB; curl -fsS -m 10 --retry 5 -o /dev/null ${shellQuote(pingUrl)}/$?`,
  },
  {
    title: 'Crontab',
    // In a crontab a percent sign ends the line (crontab(5)).
    text: `0 3 * * * JOB; curl -fsS -m 10 --retry 5 -o /dev/null ${shellQuote(pingUrl).replaceAll('%', '\\%')}/$?`,
  },
  {
    title: 'uptime run (reports start, run time, exit code, and output)',
    text: `UPTIME_PING_URL=${shellQuote(pingUrl)} uptime run -- JOB`,
  },
  {
    title: 'systemd',
    // % begins a specifier (systemd.unit(5)), $ a variable (systemd.service(5)); $$ is one for the shell. What a signal ended
    // has the name of the signal as its status (systemd.exec(5)).
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
