// The benchmark's targets. They run in a separate process, so that their work isn't counted as part of the checks.
import { fork, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * Starts the targets and returns the addresses of the HTTP, HTTPS, TCP, DNS, and SSH targets. `stop` shuts them down.
 */
export async function startTargets() {
  const directory = mkdtempSync(join(tmpdir(), 'bench-checkers-'));
  makeCertificate(directory);
  const child = fork(fileURLToPath(new URL('target-process.mjs', import.meta.url)), [directory]);
  const [ports] = await once(child, 'message');
  return {
    rootPem: readFileSync(join(directory, 'root.pem'), 'utf8'),
    http: `http://127.0.0.1:${ports.http}/`,
    https: `https://127.0.0.1:${ports.https}/`,
    tcpPort: ports.tcp,
    dns: `dns://127.0.0.1:${ports.dns}/www.example.com?type=A`,
    sshPort: ports.ssh,
    stop() {
      child.disconnect();
      rmSync(directory, { recursive: true });
    },
  };
}

/** Root → intermediate → leaf, all ECDSA P-256, as on public sites. */
function makeCertificate(directory) {
  const openssl = (...args) => {
    const { status, stderr } = spawnSync('openssl', args, { cwd: directory, encoding: 'utf8' });
    if (status !== 0) throw new Error(`openssl ${args.join(' ')}: ${stderr}`);
  };
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-keyout'];
  const ca = ['-addext', 'basicConstraints=critical,CA:TRUE'];
  const names = ['-addext', 'subjectAltName=IP:127.0.0.1,DNS:localhost'];
  openssl('req', '-x509', ...key, 'root.key', '-out', 'root.pem', '-days', '2', '-subj', '/CN=Bench Root', ...ca);
  openssl(
    'req',
    '-x509',
    '-CA',
    'root.pem',
    '-CAkey',
    'root.key',
    ...key,
    'between.key',
    '-out',
    'between.pem',
    '-days',
    '2',
    '-subj',
    '/CN=Bench Intermediate',
    ...ca,
  );
  openssl(
    'req',
    '-x509',
    '-CA',
    'between.pem',
    '-CAkey',
    'between.key',
    ...key,
    'leaf.key',
    '-out',
    'leaf.pem',
    '-days',
    '2',
    '-subj',
    '/CN=127.0.0.1',
    ...names,
  );
}
