import { type AnswerMode, SwitchedServer } from '../harness/servers/switched-server';
import { CHANNELS, type ProviderMode } from './commands';
import type { Span, Told, Turn } from './properties';

const BEAT_MS = 100;
const STANDSTILL_MS = 1000;

/** The world around the service: one server with all targets, one for each channel. Notes what they did and got. */
export class FakeInternet {
  readonly since = Date.now();
  readonly told: Told[] = [];
  /** Requests that each target got, and those of them that it did not answer well. */
  readonly asked = new Map<string, { requests: number; failed: number }>();
  readonly turns = new Map<string, Turn[]>();
  readonly standstills: Span[] = [];
  private beatAt = Date.now();
  private readonly beat = setInterval(() => this.feel(), BEAT_MS);

  private constructor(
    private readonly targets: SwitchedServer,
    private readonly channels: SwitchedServer[],
  ) {}

  static async open(): Promise<FakeInternet> {
    const channels: SwitchedServer[] = [];
    const targets = await SwitchedServer.start(({ key, answered }) => outside.count(key, answered));
    const outside = new FakeInternet(targets, channels);
    for (let channel = 0; channel < CHANNELS; channel++)
      channels.push(
        await SwitchedServer.start(({ at, answered, body, headers }) =>
          outside.told.push({ id: String(headers['webhook-id']), channel, at, answered, body }),
        ),
      );
    return outside;
  }

  targetUrl(path: string): string {
    return `${this.targets.url}/${path}`;
  }

  targetPath(url: string): string {
    return url.slice(this.targets.url.length + 1);
  }

  hookUrl(channel: number): string {
    return `${this.channels[channel]?.url}/hook`;
  }

  /** The channel of a hook's URL; -1 when it is none of ours. */
  channelOf(url: string): number {
    return this.channels.findIndex((server) => url === `${server.url}/hook`);
  }

  switchTarget(endpoint: string, mode: AnswerMode): void {
    this.turns.set(endpoint, [...(this.turns.get(endpoint) ?? []), { from: Date.now(), mode }]);
    this.targets.answer(endpoint, mode);
  }

  async switchProvider(channel: number, mode: ProviderMode): Promise<void> {
    const server = this.channels[channel];
    if (mode === 'refuse') return server?.close();
    server?.answer('hook', mode);
    await server?.open();
  }

  async heal(): Promise<void> {
    for (let channel = 0; channel < CHANNELS; channel++) await this.switchProvider(channel, 'ok');
  }

  async close(): Promise<void> {
    clearInterval(this.beat);
    await Promise.all([this.targets, ...this.channels].map((server) => server.close()));
  }

  private count(key: string, answered: AnswerMode): void {
    const { requests, failed } = this.asked.get(key) ?? { requests: 0, failed: 0 };
    this.asked.set(key, { requests: requests + 1, failed: failed + (answered === 'ok' ? 0 : 1) });
  }

  /** Answers that are late because this process stood still are no fault of the service's. */
  private feel(): void {
    const now = Date.now();
    if (now - this.beatAt > STANDSTILL_MS) this.standstills.push({ from: this.beatAt, to: now });
    this.beatAt = now;
  }
}
