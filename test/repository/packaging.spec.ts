/** @lane slow */
import 'reflect-metadata';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { Config } from '../../src/platform/config/config';
import { envNames } from '../../src/platform/config/env';
import { ProbeConfig } from '../../src/platform/config/probe-config';
import { serverConnection } from '../../src/platform/database/connection/server-connection';
import { askScript, itWith, parseYaml, readJson, readText, readYaml, ROOT } from './project-files';

const SETTINGS = new Set([...envNames(Config).values(), ...envNames(ProbeConfig).values()]);
/** Variables that compose and the images read. */
const OTHERS = new Set(['POSTGRES_PASSWORD', 'PGPASSWORD', 'POSTGRES_USER', 'POSTGRES_DB', 'NODE_ENV']);
/** The service shuts down within this time. The program that stops it must wait longer. */
const GRACE_SECONDS = 25;
const UNPRIVILEGED = 1000;

interface Step {
  keyword: string;
  text: string;
  copy?: { from: string | null; sources: string[]; target: string };
}
interface Dockerfile {
  stages: { base: string; name: string | null; steps: Step[] }[];
  user: string;
  volume: string;
  env: Record<string, string>;
  entrypoint: string[];
  command: string[];
  healthcheck: string[];
}

describe('the Dockerfile', () => {
  const file = askScript('dockerfile.mjs', `it.readDockerfile(readFileSync('Dockerfile', 'utf8'))`) as Dockerfile;
  const allowed = readText('.dockerignore').split('\n');
  const copies = file.stages.flatMap(({ steps }) => steps.flatMap(({ copy }) => copy ?? []));
  const last = file.stages.at(-1);

  it('copies only files that exist, are not excluded by .dockerignore, or come from an earlier stage', () => {
    expect(allowed).toContain('*');
    expect(copies.length).toBeGreaterThan(5);
    for (const { from, sources } of copies) {
      if (from === null) {
        for (const source of sources) {
          expect([source, existsSync(join(ROOT, source)), allowed.includes(`!${source}`)]).toEqual([
            source,
            true,
            true,
          ]);
        }
      } else expect(file.stages.slice(0, -1).map(({ name }) => name)).toContain(from);
    }
  });

  it('has everything that the build reads', () => {
    const inputs = /const INPUTS = \[([^\]]+)\]/.exec(readText('scripts/build.mjs'))?.[1] ?? '';
    const copied = copies.flatMap(({ sources }) => sources);
    const missing = [...inputs.matchAll(/'([^']+)'/g)]
      .map(([, input = '']) => input)
      .filter((input) => !copied.some((source) => input === source || input.startsWith(`${source}/`)));
    expect([inputs.length > 0, missing]).toEqual([true, []]);
  });

  it('installs from the lock file and runs no install script', () => {
    const installs = file.stages.flatMap(({ steps }) =>
      steps.map(({ text }) => text).filter((text) => text.startsWith('npm ')),
    );
    expect(installs).toHaveLength(2);
    for (const install of installs) expect(install).toMatch(/^npm ci --ignore-scripts/);
    expect(installs[1]).toContain('--omit=dev');
  });

  it('starts the built service, without npm in between, with an init process', () => {
    const [program, script = ''] = file.command;
    expect(program).toBe('node');
    expect(existsSync(join(ROOT, script.replace(/^dist/, 'src').replace(/\.js$/, '.ts')))).toBe(true);
    expect(file.entrypoint[0]).toBe('/usr/bin/tini');
    expect(last?.steps.find(({ text }) => text.includes('apt-get'))?.text).toMatch(/ca-certificates iputils-ping tini/);
  });

  it('runs as an unprivileged number whose only writable directory is the data volume', () => {
    expect(file.user).toBe(`${UNPRIVILEGED}:${UNPRIVILEGED}`);
    expect(file.volume).toBe(file.env['DATA_DIR']);
    const made = `install -d -o ${UNPRIVILEGED} -g ${UNPRIVILEGED} -m 0700 ${file.volume}`;
    expect(last?.steps.some(({ text }) => text.includes(made))).toBe(true);
    for (const name of Object.keys(file.env)) expect(SETTINGS.has(name) || OTHERS.has(name)).toBe(true);
  });

  it.each([
    [200, 0],
    [503, 1],
    [null, 1],
  ])('treats a response of %s on the liveness route as %s', async (status, code) => {
    const asked: (string | undefined)[] = [];
    const server = createServer((request, response) => {
      asked.push(request.url);
      response.writeHead(status ?? 500).end();
    });
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    const { port } = server.address() as AddressInfo;
    if (status === null) await new Promise((done) => server.close(done));
    const [, ...args] = file.healthcheck;
    const child = spawn(process.execPath, args, { env: { PORT: String(port) }, stdio: 'ignore' });
    const [ended] = (await once(child, 'exit')) as [number];
    server.close();
    expect([ended, asked]).toEqual([code, status === null ? [] : ['/health/live']]);
  });

  it('copies neither types nor source maps, and names its version, revision, and source', () => {
    for (const folder of ['dist', 'node_modules']) {
      const commands = file.stages.flatMap(({ steps }) => steps).map(({ text }) => text);
      const removing = commands.filter((text) => text.includes(`find ${folder} `)).join();
      for (const ending of ['.map', '.d.ts', '.d.[cm]ts']) expect(removing).toContain(`-name '*${ending}'`);
    }
    const labels = last?.steps.find(({ keyword }) => keyword === 'LABEL')?.text ?? '';
    const { version } = readJson('package.json') as { version: string };
    expect(labels).toContain(`org.opencontainers.image.version="${version}"`);
    expect(labels).toContain('org.opencontainers.image.revision="${REVISION}"');
    expect(labels).toContain('org.opencontainers.image.source="${SOURCE}"');
  });

  it.each(['compose.yaml', 'compose.embedded.yaml', 'compose.probe.yaml'])(
    "has a health check that %s repeats, for engines that ignore the image's own",
    (path) => {
      const { services } = readYaml(path) as Compose;
      const { healthcheck } = services['app'] ?? services['probe'] ?? {};
      expect(healthcheck?.test.map((word) => word.replaceAll('$$', '$'))).toEqual(['CMD', ...file.healthcheck]);
    },
  );

  it('uses one base image whose Node the service supports', () => {
    const bases = new Set(file.stages.map(({ base }) => base));
    expect(bases.size).toBe(1);
    const [, major = ''] = /^node:(\d+)-[a-z]+-slim$/.exec([...bases].join()) ?? [];
    expect(Number(major)).toBeGreaterThanOrEqual(20);
  });
});

interface ComposeService {
  image?: string;
  environment: Record<string, string>;
  ports?: string[];
  volumes: string[];
  depends_on?: Record<string, { condition: string }>;
  healthcheck?: { test: string[] };
  stop_grace_period: string;
  read_only?: boolean;
  cap_drop?: string[];
  security_opt: string[];
  mem_limit?: string;
  tmpfs?: string[];
}
interface Compose {
  services: Record<string, ComposeService>;
  volumes: Record<string, unknown>;
}

describe.each(['compose.yaml', 'compose.embedded.yaml'])('%s', (path) => {
  const compose = readYaml(path) as Compose;
  const { app } = compose.services;

  it('runs the service without privileges, on a read-only root, reachable from this machine only', () => {
    expect(app).toMatchObject({
      read_only: true,
      cap_drop: ['ALL'],
      security_opt: ['no-new-privileges:true'],
      ports: ['127.0.0.1:3000:3000'],
      tmpfs: ['/tmp'],
      mem_limit: expect.stringMatching(/^\d+m$/),
    });
  });

  it('names settings and volumes that exist, and waits longer than a shutdown takes', () => {
    for (const { environment, volumes, stop_grace_period: grace } of Object.values(compose.services)) {
      for (const name of Object.keys(environment))
        expect([name, SETTINGS.has(name) || OTHERS.has(name)]).toEqual([name, true]);
      for (const volume of volumes) expect(compose.volumes).toHaveProperty([volume.split(':')[0] ?? '']);
      expect(Number.parseInt(grace, 10)).toBeGreaterThan(GRACE_SECONDS);
    }
  });

  it('leaves no container the capabilities that it does not need', () => {
    for (const service of Object.values(compose.services)) expect(service.cap_drop).toEqual(['ALL']);
  });

  it('has the database that it names', () => {
    const { postgres } = compose.services;
    if (path === 'compose.embedded.yaml') {
      expect([postgres, app?.environment['DATABASE_URL']]).toEqual([undefined, '']);
      return;
    }
    // As in compose, with a password that no URL can contain unencoded.
    const password = 'Kd/8+a==:@?#% "\'';
    const filled = (values: Record<string, string> = {}): Record<string, string> =>
      Object.fromEntries(
        Object.entries(values).map(([name, value]) => [
          name,
          value.replaceAll(/\$\{POSTGRES_PASSWORD[^}]*\}/g, () => password),
        ]),
      );
    const environment = filled(app?.environment);
    expect(serverConnection(environment['DATABASE_URL'] ?? '', environment)).toMatchObject({
      servers: [{ host: 'postgres', port: 5432 }],
      user: 'uptime',
      database: 'uptime',
      password,
    });
    expect(filled(postgres?.environment)['POSTGRES_PASSWORD']).toBe(password);
    expect(postgres?.image).toMatch(/^postgres:\d\d$/);
    expect(postgres?.environment).toMatchObject({ POSTGRES_USER: 'uptime', POSTGRES_DB: 'uptime' });
    expect(postgres?.healthcheck?.test).toContain('pg_isready');
    expect(app?.depends_on).toEqual({ postgres: { condition: 'service_healthy' } });
  });
});

it('compose.probe.yaml runs a probe without privileges, that writes nothing, and that accepts no connections', () => {
  const { services, volumes } = readYaml('compose.probe.yaml') as Compose;
  const { probe } = services;
  expect([Object.keys(services), volumes]).toEqual([['probe'], undefined]);
  expect(probe).toMatchObject({
    read_only: true,
    cap_drop: ['ALL'],
    security_opt: ['no-new-privileges:true'],
    tmpfs: ['/tmp', '/data'],
    environment: { ROLE: 'probe' },
    mem_limit: expect.stringMatching(/^\d+m$/),
  });
  expect([probe?.ports, probe?.volumes]).toEqual([undefined, undefined]);
  expect(Object.keys(probe?.environment ?? {}).filter((name) => !SETTINGS.has(name))).toEqual([]);
  expect(Number.parseInt(probe?.stop_grace_period ?? '', 10)).toBeGreaterThan(GRACE_SECONDS);
});

interface Probe {
  httpGet: { path: string; port: string };
  periodSeconds: number;
  failureThreshold: number;
}
interface Container {
  env?: { name: string; value: string }[];
  ports: { name: string; containerPort: number }[];
  securityContext: object;
  startupProbe: Probe;
  livenessProbe: Probe;
  readinessProbe: Probe;
  resources: object;
  volumeMounts: { name: string; mountPath: string }[];
}
interface Workload {
  kind: string;
  metadata: { name: string };
  spec: {
    replicas: number;
    template: {
      spec: {
        terminationGracePeriodSeconds: number;
        securityContext: { sysctls: { name: string }[]; runAsUser: number };
        containers: Container[];
      };
    };
  };
}

const MANIFESTS = 'deploy/kubernetes';
const workloads = (folder: string): Workload[] =>
  readdirSync(join(ROOT, MANIFESTS, folder))
    .flatMap((name) => parseYaml(readText(`${MANIFESTS}/${folder}/${name}`)) as Workload[])
    .filter(({ kind }) => kind === 'Deployment' || kind === 'StatefulSet');

it('the Kubernetes network policy applies to the pods of both installations', () => {
  const { spec } = readYaml(`${MANIFESTS}/network-policy.yaml`) as { spec: { podSelector: { matchLabels: object } } };
  for (const folder of ['embedded', 'postgres']) {
    const { labels } = readYaml(`${MANIFESTS}/${folder}/kustomization.yaml`) as { labels: { pairs: object }[] };
    expect(labels[0]?.pairs).toEqual(spec.podSelector.matchLabels);
  }
});

describe.each([
  ['embedded', ['/data', '/tmp']],
  ['postgres', ['/data', '/tmp']],
  ['probe', ['/tmp']],
])('the Kubernetes manifests for %s', (folder, written) => {
  it('are all named by their kustomization', () => {
    const { resources } = readYaml(`${MANIFESTS}/${folder}/kustomization.yaml`) as { resources: string[] };
    const files = readdirSync(join(ROOT, MANIFESTS, folder)).filter((name) => name !== 'kustomization.yaml');
    expect([...resources].sort()).toEqual(files.sort());
  });

  it('run the service without privileges and probe the routes it has', () => {
    const all = workloads(folder);
    expect(all.length).toBeGreaterThan(0);
    for (const { spec } of all) {
      const pod = spec.template.spec;
      expect(pod.securityContext).toMatchObject({ runAsNonRoot: true, runAsUser: UNPRIVILEGED });
      expect(pod.securityContext.sysctls.map(({ name }) => name)).toEqual(['net.ipv4.ping_group_range']);
      expect(pod.terminationGracePeriodSeconds).toBeGreaterThan(GRACE_SECONDS);
      for (const container of pod.containers) {
        expect(container.securityContext).toEqual({
          allowPrivilegeEscalation: false,
          readOnlyRootFilesystem: true,
          capabilities: { drop: ['ALL'] },
        });
        expect(container).toMatchObject({
          ports: [{ name: 'http', containerPort: 3000 }],
          startupProbe: { httpGet: { path: '/health/live', port: 'http' } },
          livenessProbe: { httpGet: { path: '/health/live', port: 'http' } },
          readinessProbe: { httpGet: { path: '/health/ready', port: 'http' } },
          resources: { requests: { memory: expect.any(String) }, limits: { memory: expect.any(String) } },
        });
        expect(container.volumeMounts.map(({ mountPath }) => mountPath)).toEqual(written);
        for (const { name } of container.env ?? []) expect(SETTINGS).toContain(name);
      }
    }
  });

  itWith(
    'kubectl',
    'version',
    '--client',
  )('are put together by kustomize', () => {
    const { status, stdout, stderr } = spawnSync('kubectl', ['kustomize', join(ROOT, MANIFESTS, folder)], {
      encoding: 'utf8',
    });
    expect([status, stderr]).toEqual([0, '']);
    expect(parseYaml(stdout).length).toBeGreaterThan(0);
  });
});

it('only one pod has the embedded database; at least two of each role share a PostgreSQL', () => {
  expect(workloads('embedded').map(({ kind, spec }) => [kind, spec.replicas])).toEqual([['StatefulSet', 1]]);
  const roles = workloads('postgres').map(({ kind, spec }) => {
    const role = spec.template.spec.containers[0]?.env?.find(({ name }) => name === 'ROLE')?.value;
    return [kind, role, spec.replicas >= 2];
  });
  expect(roles).toEqual([
    ['Deployment', 'api', true],
    ['Deployment', 'worker', true],
  ]);
});

describe.each([
  ['uptime-monitor', '/usr/bin/env DATA_DIR=%S/uptime-monitor node dist/main.js', 'uptime-monitor'],
  ['uptime-probe', '/usr/bin/env ROLE=probe node dist/main.js', ''],
])('the systemd unit %s', (unit, command, directory) => {
  const path = `deploy/systemd/${unit}.service`;
  const setting = (name: string): string => new RegExp(`^${name}=(.*)$`, 'm').exec(readText(path))?.[1] ?? '';

  it('starts the built service as a separate user, and waits for its end', () => {
    expect([setting('ExecStart'), setting('StateDirectory')]).toEqual([command, directory]);
    expect(Number(setting('TimeoutStopSec'))).toBeGreaterThan(GRACE_SECONDS);
    for (const name of ['DynamicUser', 'NoNewPrivileges', 'PrivateTmp'])
      expect([name, setting(name)]).toEqual([name, 'yes']);
    expect([setting('ProtectSystem'), setting('CapabilityBoundingSet')]).toEqual(['strict', '']);
  });

  itWith('systemd-analyze', '--version')('is accepted by systemd', () => {
    const { status, stderr } = spawnSync('systemd-analyze', ['verify', join(ROOT, path)], { encoding: 'utf8' });
    const ours = stderr.split('\n').filter((line) => line.includes(unit));
    expect([status, ours]).toEqual([0, []]);
  });
});
