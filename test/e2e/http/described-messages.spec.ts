import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import Ajv, { type ValidateFunction } from 'ajv/dist/2020';
import addFormats from 'ajv-formats';
import { Overload } from '../../../src/engine/dispatch/overload';
import { startOwnApp, type TestApp } from '../../harness/app/app';
import { Api } from '../../../packages/testing/service/api';
import { MovingClock } from '../../../packages/testing/service/moving-clock';
import {
  exactSchema,
  type OpenApi,
  operationsOf,
  type Schema,
} from '../../../packages/testing/contract/document/openapi';
import { eventually } from '../../../packages/testing/eventually';
import { newEndpoint, newWebsite } from '../../harness/app/resources';
import { type SeenRequest, SwitchableServer } from '../../harness/servers/switchable-server';

jest.setTimeout(60_000);

/** Messages of every kind, with and without links, from the contract of the channels. */
const GOLDEN = join(__dirname, '../../contract/channel/golden');

interface Described extends OpenApi {
  webhooks: Record<
    string,
    {
      post: {
        parameters?: { name: string }[];
        requestBody: { content: Record<string, { schema: Schema }> };
      };
    }
  >;
}

const CONFIGS: Readonly<Record<string, object>> = {
  email: {
    to: ['ops@example.com'],
    smtp: { host: '127.0.0.1', port: 2525, username: 'monitor', password: 'secret-password' },
  },
  webhook: { url: 'https://example.com/hook', headers: [{ key: 'X-Team', value: 'operations' }] },
  slack: { webhook_url: 'https://hooks.slack.com/services/T000/B000/XXXX' },
  discord: { webhook_url: 'https://discord.com/api/webhooks/1/XXXX' },
  teams: {
    webhook_url: 'https://prod-00.westeurope.logic.azure.com/workflows/0000/triggers/manual/paths/invoke?sig=XXXX',
  },
  telegram: { bot_token: '123456789:AAxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx', chat_id: -1_001_234_567_890 },
  pagerduty: { routing_key: '0123456789abcdef0123456789abcdef' },
  opsgenie: { api_key: '01234567-89ab-cdef-0123-456789abcdef', responders: [{ type: 'team', name: 'Operations' }] },
  twilio: {
    account_sid: `AC${'0'.repeat(32)}`,
    auth_token: '0'.repeat(32),
    from: '+15005550006',
    to: '+15005550009',
  },
};

describe('the messages in the API document and the messages that are sent', () => {
  let app: TestApp;
  let target: SwitchableServer;
  let receiver: SwitchableServer;
  let document: Described;
  let ajv: Ajv;

  beforeAll(async () => {
    [target, receiver] = await Promise.all([SwitchableServer.start(), SwitchableServer.start()]);
    app = await startOwnApp({ minIntervalSeconds: 1 });
    document = (await app.anonymous.get<Described>('/openapi.json')).body;
    ajv = new Ajv({ strict: false, allErrors: true });
    addFormats(ajv);
    const schemas = Object.entries(document.components.schemas).map(([name, each]) => [name, exactSchema(each, 'api')]);
    ajv.addSchema({ $id: 'api', components: { schemas: Object.fromEntries(schemas) as object } });
  });
  afterAll(async () => {
    await app.close();
    await Promise.all([target.close(), receiver.close()]);
  });

  const validator = (schema: Schema): ValidateFunction => ajv.compile(exactSchema(schema, 'api'));
  const faults = (schema: Schema | undefined, data: unknown): unknown => {
    const validate = validator(schema ?? { enum: [] });
    return validate(data) ? [] : validate.errors;
  };
  const sentTo = (path: string): SeenRequest[] => receiver.seen.filter((request) => request.path === path);
  const typeOf = ({ body }: Pick<SeenRequest, 'body'>) => (JSON.parse(body) as { type: string }).type;

  function expectDescribed(request: Pick<SeenRequest, 'headers' | 'body'>): void {
    const described = document.webhooks[typeOf(request)]?.post;
    const schema = described?.requestBody.content['application/json']?.schema;
    expect([typeOf(request), faults(schema, JSON.parse(request.body))]).toEqual([typeOf(request), []]);
    for (const { name } of described?.parameters ?? []) expect(Object.keys(request.headers)).toContain(name);
  }

  it('describes the webhooks and the stream events of an alert that is tested, triggers and resolves', async () => {
    const stream = await StreamLog.open(app.read);
    const endpoint = await newEndpoint(app.write, await newWebsite(app.write), {
      url: `${target.url}/shop`,
      type: 'HTTP',
      interval: 1,
    });
    const { body: alert } = await app.write.post<{ id: string }>('/alerts', {
      endpoint_id: endpoint,
      type: 'webhook',
      config: { url: `${receiver.url}/alerts` },
      failure_threshold: 1,
      success_threshold: 1,
    });
    await app.write.post(`/alerts/${alert.id}/test`);
    target.status = 503;
    await eventually('it triggers', () => sentTo('/alerts').map(typeOf).includes('alert.triggered'));
    target.status = 200;
    await eventually('it resolves', () => sentTo('/alerts').map(typeOf).includes('alert.resolved'));

    expect(new Set(sentTo('/alerts').map(typeOf))).toEqual(
      new Set(['alert.test', 'alert.triggered', 'alert.resolved']),
    );
    sentTo('/alerts').forEach((request) => expectDescribed(request));

    await eventually(
      'the stream tells both',
      () => stream.events().filter(({ event }) => event === 'alert').length > 1,
    );
    stream.close();
    const operation = operationsOf(document).find(({ path }) => path === '/api/v1/stream');
    const schema = operation?.responses['200']?.content?.['text/event-stream']?.schema;
    expect(new Set(stream.events().map(({ event }) => event))).toEqual(
      new Set(['ready', 'check', 'alert', 'incident']),
    );
    expect(stream.events().map((event) => faults(schema, event))).toEqual(stream.events().map(() => []));
  });

  it.each(readdirSync(GOLDEN).filter((name) => name.startsWith('webhook.')))(
    'describes the webhook that %s keeps',
    (name) => {
      const { body, headers } = JSON.parse(readFileSync(join(GOLDEN, name), 'utf8')) as {
        body: object;
        headers: Record<string, string>;
      };
      expectDescribed({ headers, body: JSON.stringify(body) });
    },
  );

  it("describes the operator's messages at the start and the end of an overload", async () => {
    // A process that checks nothing automatically, so that only the test decides what is overdue.
    const idle = await startOwnApp({ role: 'api', operatorWebhookUrl: `${receiver.url}/operator` });
    const overload = idle.app.get(Overload);
    const clock = MovingClock.frozenIn(idle.app);
    for (let second = 0; second < 3; second++) {
      clock.advance(1000);
      overload.skipped('overload', 200);
      overload.tick(4000);
    }
    await eventually('the beginning is told', () => sentTo('/operator').length === 1);
    clock.advance(6000);
    overload.tick(0);
    await eventually('the end is told', () => sentTo('/operator').length === 2);
    await idle.close();

    expect(sentTo('/operator').map(typeOf)).toEqual(['overload.began', 'overload.ended']);
    sentTo('/operator').forEach(expectDescribed);
  });

  it.each(Object.keys(CONFIGS))(
    'describes an alert of type %s as it is created and read, masked or not',
    async (type) => {
      const endpoint = await newEndpoint(app.write, await newWebsite(app.write), { enabled: false });
      const body = { endpoint_id: endpoint, type, config: CONFIGS[type] };
      const made = await app.write.post<{ id: string; type: string }>('/alerts', body);
      expect([type, made.status, made.text]).toEqual([type, 201, expect.any(String)]);
      const read = await app.read.get(`/alerts/${made.body.id}`);
      const schema = { $ref: '#/components/schemas/Alert' };
      expect([faults(schema, made.body), faults(schema, read.body)]).toEqual([[], []]);
    },
  );
});

/** The events of an open stream, as a client parses them. */
class StreamLog {
  private text = '';

  private constructor(private readonly controller: AbortController) {}

  static async open(by: Api): Promise<StreamLog> {
    const controller = new AbortController();
    const log = new StreamLog(controller);
    const response = await fetch(`${by.url}/api/v1/stream`, {
      headers: { Authorization: `Bearer ${by.key ?? ''}` },
      signal: controller.signal,
    });
    void log.read(response);
    return log;
  }

  events(): { event: string; id?: string; data: unknown }[] {
    const blocks = this.text.split('\n\n').slice(0, -1);
    return blocks.map((block) => {
      const line = (name: string) => new RegExp(`^${name}: (.*)$`, 'm').exec(block)?.[1];
      const id = line('id');
      return { event: line('event') ?? '', ...(id && { id }), data: JSON.parse(line('data') ?? 'null') as unknown };
    });
  }

  close(): void {
    this.controller.abort();
  }

  private async read(response: Response): Promise<void> {
    const decoder = new TextDecoder();
    try {
      for await (const chunk of response.body ?? []) this.text += decoder.decode(chunk, { stream: true });
    } catch {
      // Closed by the test.
    }
  }
}
