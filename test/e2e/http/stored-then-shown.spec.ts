/** @lane slow */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { OpenApi, Operation } from '../../../packages/testing/contract/document/openapi';
import { operationsOf } from '../../../packages/testing/contract/document/openapi';
import { Api, type ApiResponse, requestOnce } from '../../../packages/testing/service/api';
import { html } from '../../../src/platform/text/html';
import { eventually } from '../../../packages/testing/eventually';
import { newWebsite } from '../../harness/app/resources';
import { type Refusal, RUNS, StoredTexts } from '../../harness/app/stored-texts';
import { currentCommit, turnAt } from '../../harness/in-turn';
import { mainThreadCpuMs } from '../../harness/processes/thread-cpu';
import { buildService, ServiceProcess } from '../../harness/processes/service-process';

const OPERATOR_TOKEN = 'operator-token-of-stored-then-shown-01';
const PRELOADED = join(__dirname, '../../bounds/longest-piece.cjs');
/** A fifth of the runs, selected by the commit. `STORED_RUNS=all` runs all of them. */
const PARTS = process.env['STORED_RUNS'] === 'all' ? 1 : 5;
const TURN = turnAt(currentCommit() ?? '0', PARTS);
/** The maximum CPU milliseconds of the main thread before other requests have their turn. */
const PIECE_MS = 50;
/** Garbage collection may lengthen any request. Only a request that is too slow each time is reported. */
const TRIES = 3;
/** The maximum total. A quadratic pattern takes twice as much because of the number of texts. */
const SUM_MS = 150;
/** A field that refuses this many texts accepts none. */
const MAX_REFUSALS = 25;
const ID = /^([a-z]{2,3})_[0-9a-z]{26}$/;
/**
 * The forms of a status page that show whole texts of users. The page of a month isn't one of them, because it shows
 * only the start of a text, on one line. It is measured all the same.
 */
const FORMS = ['', '.json', '/feed.atom', '/incidents/*', '/history.json'];
const ENDLESS = 'GET /api/v1/stream';

interface Piece {
  /** When it ended, by the clock, and its CPU. */
  at: number;
  ms: number;
}

interface Visit {
  name: string;
  from: number;
  until: number;
  cpuMs: number;
}

/**
 * Fields and routes come from the document, and pages from the responses of routes, so new ones are covered
 * automatically.
 */
describe('texts at their limits, made of runs of one character, in the largest number', () => {
  let service: ServiceProcess;
  let operations: Operation[];
  let document: OpenApi;
  const folder = mkdtempSync(join(tmpdir(), 'uptime-stored-'));
  const pieceLog = join(folder, 'pieces');
  let turn = 0;
  /** Fields in which long texts were stored. */
  const stored = new Set<string>();

  beforeAll(async () => {
    buildService();
    service = await ServiceProcess.start('embedded:memory', {
      OPERATOR_TOKEN,
      ROLE: 'api',
      EGRESS_PRIVATE: 'deny',
      PIECE_LOG: pieceLog,
      NODE_OPTIONS: `--require ${PRELOADED}`,
    });
    document = JSON.parse((await requestOnce('GET', `${service.url}/api/v1/openapi.json`)).text) as OpenApi;
    operations = operationsOf(document).filter(({ security, path }) => !security && path.startsWith('/api/v1/'));
  }, 300_000);
  afterAll(async () => {
    await service.kill();
    rmSync(folder, { recursive: true, force: true });
  });

  /** An organization whose texts are runs of one character, and everything that shows them. */
  class Scene {
    private readonly ids = new Map<string, string>();
    /** The last value of each field in the responses. Path parameters that aren't IDs use these. */
    private readonly values = new Map<string, string>();
    /** Paths of pages in responses. */
    private readonly pages = new Set<string>();
    readonly visits: Visit[] = [];
    readonly stored = new Set<string>();
    readonly shown = new Set<string>();

    private constructor(
      private readonly api: Api,
      private readonly run: string,
    ) {}

    static async of(run: string): Promise<Scene> {
      const operator = new Api(service.url, OPERATOR_TOKEN);
      const made = await operator.post<{ api_key: { key: string } }>('/organizations', { name: `Runs ${++turn}` });
      return new Scene(new Api(service.url, made.body.api_key.key), run);
    }

    /** Stores everything twice, because resources that belong to others are refused until those exist. */
    async store(): Promise<void> {
      const changing = operations.filter(({ method, requestBody }) => requestBody && method !== 'DELETE');
      for (const operation of changing) await this.storeBy(operation, 1);
      for (const operation of changing)
        await this.storeBy(operation, operation.method === 'POST' && isKept(operation) ? Infinity : 1);
      await this.ping();
    }

    /** Stores outputs of a job, which no DTO contains. */
    private async ping(): Promise<void> {
      const job = { name: 'Job', type: 'HEARTBEAT', heartbeat: { every: 86_400 } };
      const path = `/websites/${await newWebsite(this.api)}/endpoints`;
      const { body } = await this.api.post<{ heartbeat: { ping_id: string } }>(path, job);
      this.learn(body);
      const texts = [0, 1, 2, 3].map((n) => `${n % 2 ? 'http://' : ''}${this.run.repeat(9_900 / this.run.length)}b`);
      for (const text of texts) await requestOnce('POST', `${service.url}/ping/${body.heartbeat.ping_id}`, {}, text);
    }

    private async storeBy(operation: Operation, most: number): Promise<void> {
      const path = this.pathOf(operation);
      if (path === null) return;
      const texts = new StoredTexts(document, operation, this.run, { known: this.ids, unique: `-${turn}-`, turn });
      let refusals = 0;
      for (let copy = 0; copy < Math.min(most, texts.copies);) {
        const { status, body } = await this.send(operation, path, texts.body(copy));
        if (status >= 300) {
          const isOther = status === 413 ? texts.tooLarge() : texts.refused(refusalsIn(body));
          if (!isOther || ++refusals > MAX_REFUSALS) return;
          continue;
        }
        copy++;
        for (const { steps } of texts.long) this.stored.add(`${operation.name} /${steps.join('/')}`);
      }
    }

    async show(): Promise<void> {
      for (const operation of operations) {
        const path = operation.method === 'GET' && operation.name !== ENDLESS ? this.pathOf(operation) : null;
        if (path !== null) await this.send(operation, path);
      }
      // Pages link to their other forms and to their history. The loop visits those as well.
      for (const page of this.pages) {
        const reply = await this.visit(`GET ${page.replace(/(?<=^\/status\/|\/incidents\/)[\w-]+/g, '*')}`, () =>
          requestOnce('GET', `${service.url}${page}`),
        );
        for (const [, href = ''] of reply.text.matchAll(/(?:href|src)="(\/status\/[^"]*)"/g))
          this.pages.add(href.replaceAll('&amp;', '&'));
      }
    }

    private async send({ name, method, parameters }: Operation, path: string, body?: object): Promise<ApiResponse> {
      const limit = parameters?.find((each) => each.name === 'limit')?.schema.maximum;
      const below = path.slice('/api/v1'.length) + (method === 'GET' && limit !== undefined ? `?limit=${limit}` : '');
      const reply = await this.visit(name, () => {
        if (body === undefined) return this.api.get<unknown>(below);
        return method === 'PUT' ? this.api.put<unknown>(below, body) : this.api.post<unknown>(below, body);
      });
      if (reply.status < 300) this.learn(reply.body);
      return reply;
    }

    private async visit(name: string, ask: () => Promise<ApiResponse>): Promise<ApiResponse> {
      const from = Date.now();
      const before = mainThreadCpuMs(service.pid ?? 0);
      const reply = await ask();
      this.visits.push({ name, from, until: Date.now(), cpuMs: mainThreadCpuMs(service.pid ?? 0) - before });
      const long = this.run.repeat(900 / this.run.length);
      const forms = [long, JSON.stringify(long).slice(1, -1), html(long)];
      if (forms.some((form) => reply.text.includes(form))) this.shown.add(name);
      return reply;
    }

    private learn(value: unknown, name = ''): void {
      if (typeof value === 'string') {
        const [, prefix] = ID.exec(value) ?? [];
        if (prefix !== undefined && name === 'id') this.ids.set(prefix, value);
        this.values.set(name, value);
        const path = value.startsWith(`${service.url}/`) ? value.slice(service.url.length) : value;
        if (path.startsWith('/status/')) this.pages.add(path);
      } else if (Array.isArray(value)) for (const each of value.slice(0, 3)) this.learn(each, name);
      else if (typeof value === 'object' && value !== null)
        for (const [member, each] of Object.entries(value)) this.learn(each, member);
    }

    /** Returns `null` while no matching resource is known. */
    private pathOf({ path, parameters = [] }: Operation): string | null {
      let isKnown = true;
      const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => {
        const { example } = parameters.find((each) => each.in === 'path' && each.name === name)?.schema ?? {};
        const prefix = ID.exec(typeof example === 'string' ? example : '')?.[1];
        const value = prefix === undefined ? this.values.get(name) : this.ids.get(prefix);
        isKnown &&= value !== undefined;
        return value ?? '';
      });
      return isKnown ? filled : null;
    }
  }

  /** Returns the requests that took too long, in one piece or in total, and how long. */
  async function tooLong(visits: readonly Visit[]): Promise<Map<string, string>> {
    // The response shows that everything before it is in the log.
    await eventually('the event loop had its turn', async () => (await service.readiness()) === 200);
    const pieces = readFileSync(pieceLog, 'utf8')
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as Piece);
    const found = new Map<string, string>();
    for (const { name, from, until, cpuMs } of visits) {
      const { ms = 0 } =
        pieces.find((piece) => piece.ms > PIECE_MS && from <= piece.at && until >= piece.at - piece.ms) ?? {};
      if (ms > 0 || cpuMs > SUM_MS)
        found.set(name, `${Math.round(ms)} ms in one piece, ${Math.round(cpuMs)} ms in all`);
    }
    return found;
  }

  /** Returns the requests that are too slow in each try. */
  async function judge(run: string): Promise<string[]> {
    const found: string[] = [];
    let always: Map<string, string> | null = null;
    for (let attempt = 0; attempt < TRIES && always?.size !== 0; attempt++) {
      writeFileSync(pieceLog, '');
      const scene = await Scene.of(run);
      await scene.store();
      await scene.show();
      for (const field of scene.stored) stored.add(field);
      const pages = [...scene.shown].map((name) => /^GET \/status\/\*([^?]*)/.exec(name)?.[1]);
      if (!FORMS.every((form) => pages.includes(form))) found.push(`no page shows runs of ${JSON.stringify(run)}`);
      const slow = await tooLong(scene.visits);
      const before: Map<string, string> = always ?? slow;
      always = new Map([...slow].filter(([name]) => before.has(name)));
    }
    for (const [name, how] of always ?? []) found.push(`${name}, of ${JSON.stringify(run)}: ${how}`);
    return found;
  }

  it(
    'are stored, and shown by every route and page, in pieces of 50 ms of the main thread',
    async () => {
      const found: string[] = [];
      for (const run of RUNS.filter((_, index) => index % PARTS === TURN)) found.push(...(await judge(run)));
      expect(found).toEqual([]);
      expect(stored.size).toBeGreaterThan(15);
      expect(service.log).not.toContain('a value reached the database that validation should have refused');
    },
    120_000 + (RUNS.length / PARTS) * 120_000,
  );
});

/** Tests and previews store nothing. */
const isKept = ({ path }: Operation): boolean => !/\/(?:test|preview|convert|plan|sitemap)$/.test(path);

function refusalsIn(body: unknown): Refusal[] {
  return (body as { errors?: Refusal[] } | null)?.errors ?? [];
}
