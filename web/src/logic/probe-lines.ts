export interface ProbeLines {
  title: string;
  /** The lines to paste. */
  text: string;
}

/** Whether the URL is unencrypted, so that others could read the token. A probe rejects such a URL by default. */
export function isPlain(origin: string): boolean {
  const { protocol, hostname } = new URL(origin);
  return protocol === 'http:' && !/^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname);
}

/**
 * Returns shell commands that write a file only its owner can read. The token isn't passed as an argument, because
 * every user on the machine can see arguments.
 */
const file = (path: string, lines: readonly string[], command = `install -m 600 /dev/stdin ${path}`): string[] => [
  `${command} <<'END'`,
  ...lines,
  'END',
];

/**
 * Returns commands that start a probe with its token, by environment. `origin` is the URL at which the probe reaches
 * the service. Files to copy are in the project's `deploy` folder.
 */
export function probeLines(origin: string, token: string): ProbeLines[] {
  const settings = [`PROBE_URL=${origin}`, `PROBE_TOKEN=${token}`, ...(isPlain(origin) ? ['PROBE_INSECURE=on'] : [])];
  const ENV = 'probe.env';
  const inFile = file(ENV, ['ROLE=probe', ...settings]);
  return [
    {
      title: 'Docker',
      text: [
        ...inFile,
        `docker run -d --name uptime-probe --restart unless-stopped --env-file ${ENV} \\`,
        '  --read-only --cap-drop ALL --stop-timeout 40 uptime-monitor:latest',
      ].join('\n'),
    },
    {
      title: 'Compose',
      text: [
        ...inFile,
        "cat > compose.yaml <<'END'",
        'services:',
        '  probe:',
        '    image: uptime-monitor:latest',
        '    restart: unless-stopped',
        `    env_file: ${ENV}`,
        '    read_only: true',
        '    cap_drop: [ALL]',
        '    stop_grace_period: 40s',
        'END',
        'docker compose up -d',
      ].join('\n'),
    },
    {
      title: 'systemd',
      text: [
        ...file('/etc/uptime-probe.env', settings),
        'cp deploy/systemd/uptime-probe.service /etc/systemd/system/',
        'systemctl daemon-reload && systemctl enable --now uptime-probe',
      ].join('\n'),
    },
    {
      title: 'Kubernetes',
      text: [
        ...file('', settings, 'kubectl create secret generic uptime-probe --from-env-file=/dev/stdin'),
        'kubectl apply -k deploy/kubernetes/probe',
      ].join('\n'),
    },
  ];
}
