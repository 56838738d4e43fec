// Runs Debian's prometheus-blackbox-exporter on a loopback port and queries it like Prometheus does.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { cpuMs } from '../processes.mjs';

const PROGRAM = ['/usr/bin/prometheus-blackbox-exporter', '/usr/local/bin/blackbox_exporter'].find(existsSync);

/** `ca_file` also makes probes of http:// URLs more expensive, so only the HTTPS module has it. */
const modules = (caFile) => ({
  modules: {
    http: { prober: 'http', timeout: '10s', http: { preferred_ip_protocol: 'ip4' } },
    https: {
      prober: 'http',
      timeout: '10s',
      http: { preferred_ip_protocol: 'ip4', fail_if_not_ssl: true, tls_config: { ca_file: caFile } },
    },
  },
});

/**
 * Returns `null` if the exporter isn't installed. `probe` rejects if the target wasn't up. `cpuUs` is the CPU that the
 * exporter's process has used so far, in the kernel's clock ticks. At most `connections` keep-alive connections are
 * used.
 */
export async function startBlackboxExporter(rootPem, connections) {
  if (!PROGRAM) return null;
  const directory = mkdtempSync(join(tmpdir(), 'bench-blackbox-'));
  const [caFile, configFile] = ['root.pem', 'blackbox.yml'].map((name) => join(directory, name));
  writeFileSync(caFile, rootPem);
  // The exporter reads YAML, which is a superset of JSON.
  writeFileSync(configFile, JSON.stringify(modules(caFile)));
  const child = spawn(PROGRAM, [`--config.file=${configFile}`, '--web.listen-address=127.0.0.1:0'], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const kill = () => child.kill();
  process.on('exit', kill);
  const address = await listeningAddress(child);
  const agent = new http.Agent({ keepAlive: true, maxSockets: connections });
  return {
    probe: (module, target) => async () => {
      const page = await get(`http://${address}/probe?module=${module}&target=${encodeURIComponent(target)}`, agent);
      if (!/^probe_success 1$/m.test(page)) throw new Error(`blackbox_exporter, ${target}: ${page}`);
    },
    cpuUs: () => cpuMs([child.pid]) * 1000,
    async stop() {
      agent.destroy();
      process.off('exit', kill);
      const ended = once(child, 'exit');
      child.kill();
      await ended;
      rmSync(directory, { recursive: true });
    },
  };
}

/** The exporter logs the port that it was assigned. */
function listeningAddress(child) {
  const log = [];
  return new Promise((done, fail) => {
    createInterface({ input: child.stderr }).on('line', (line) => {
      const address = /msg="Listening on" address=(\S+)/.exec(line)?.[1];
      if (address) done(address);
      else log.push(line);
    });
    child.on('exit', () => fail(new Error(`blackbox_exporter has ended:\n${log.join('\n')}`)));
  });
}

const get = (url, agent) =>
  new Promise((done, fail) => {
    http
      .get(url, { agent }, (response) => {
        let page = '';
        response.setEncoding('utf8').on('data', (chunk) => (page += chunk));
        response.on('end', () => done(page));
      })
      .on('error', fail);
  });
